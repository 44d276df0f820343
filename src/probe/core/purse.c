/* purse.c - see purse.h. */
#include "probe/core/purse.h"

#include "probe/core/raw.h"

#define PURSE_AGAIN 10000000u /* nanoseconds that an empty purse must have again */

void purse_fill(struct purse *purse)
{
    purse->spent = purse->known = 0;
    purse->empty = false;
}

/* The system adds up all threads to get a process's time, which takes long where there are many:
 * it is asked when what is known does not do, and the purse pays for that. */
static bool covers(struct purse *purse, uint64_t amount)
{
    uint64_t before, now;

    if (amount <= __atomic_load_n(&purse->known, __ATOMIC_RELAXED))
        return true;
    before = raw_worked();
    now = purse->grace + raw_clock(CLOCK_PROCESS_CPUTIME_ID) / purse->share;
    __atomic_store_n(&purse->known, now, __ATOMIC_RELAXED);
    (void)__atomic_add_fetch(&purse->spent, raw_worked() - before, __ATOMIC_RELAXED);
    return amount <= now;
}

bool purse_spend(struct purse *purse, uint64_t ns)
{
    const uint64_t spent = __atomic_add_fetch(&purse->spent, ns, __ATOMIC_RELAXED);

    if (!covers(purse, spent))
        __atomic_store_n(&purse->empty, true, __ATOMIC_RELAXED);
    return !__atomic_load_n(&purse->empty, __ATOMIC_RELAXED);
}

bool purse_open(struct purse *purse)
{
    if (__atomic_load_n(&purse->empty, __ATOMIC_RELAXED) &&
        covers(purse, __atomic_load_n(&purse->spent, __ATOMIC_RELAXED) + PURSE_AGAIN))
        __atomic_store_n(&purse->empty, false, __ATOMIC_RELAXED);
    return !__atomic_load_n(&purse->empty, __ATOMIC_RELAXED);
}
