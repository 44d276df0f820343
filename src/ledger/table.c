/* table.c - see table.h. */
#include "ledger/table.h"

#include "base/invariant.h"

/* A slower thread must not take back what a faster one has activated. */
static void raise_to(uint64_t *used, uint64_t want)
{
    uint64_t now = __atomic_load_n(used, __ATOMIC_ACQUIRE);

    while (now < want && !__atomic_compare_exchange_n(used, &now, want, false, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_ACQUIRE))
        ;
}

bool table_grow(struct ledger *ledger, enum section section, enum section twin, uint64_t seen)
{
    struct section_entry *entry = ledger_entry(ledger, section);
    const uint64_t want = seen * 2;

    INVARIANT(seen > 0 && (seen & (seen - 1)) == 0); /* segments double */
    if (want > entry->capacity)
        return false;
    if (twin && !ledger_take(ledger, twin, want))
        return false;
    if (!ledger_take(ledger, section, want))
        return false;
    if (twin)
        raise_to(&ledger_entry(ledger, twin)->used, want);
    raise_to(&entry->used, want);
    INVARIANT(entry->used <= entry->taken && entry->taken <= entry->capacity);
    return true; /* by us or by another thread */
}
