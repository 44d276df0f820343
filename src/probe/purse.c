/* purse.c - see purse.h. */
#include "probe/purse.h"

#include "probe/raw.h"

#define PURSE_AGAIN 10000000u /* nanoseconds that an empty purse must have again */

void purse_fill(struct purse *purse)
{
    purse->spent = 0;
    purse->empty = false;
}

static uint64_t allowance(const struct purse *purse)
{
    return purse->grace + raw_clock(CLOCK_PROCESS_CPUTIME_ID) / purse->share;
}

bool purse_spend(struct purse *purse, uint64_t ns)
{
    const uint64_t spent = __atomic_add_fetch(&purse->spent, ns, __ATOMIC_RELAXED);

    if (spent > allowance(purse))
        __atomic_store_n(&purse->empty, true, __ATOMIC_RELAXED);
    return !__atomic_load_n(&purse->empty, __ATOMIC_RELAXED);
}

bool purse_open(struct purse *purse)
{
    if (__atomic_load_n(&purse->empty, __ATOMIC_RELAXED) &&
        __atomic_load_n(&purse->spent, __ATOMIC_RELAXED) + PURSE_AGAIN <= allowance(purse))
        __atomic_store_n(&purse->empty, false, __ATOMIC_RELAXED);
    return !__atomic_load_n(&purse->empty, __ATOMIC_RELAXED);
}
