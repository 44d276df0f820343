/* table.c - see table.h. */
#include "ledger/table.h"

bool table_grow(struct ledger *ledger, enum section section, enum section twin, uint64_t seen)
{
    struct section_entry *entry = ledger_entry(ledger, section);
    const uint64_t want = seen * 2;

    if (want > entry->capacity)
        return false;
    if (twin && !ledger_take(ledger, twin, want))
        return false;
    if (!ledger_take(ledger, section, want))
        return false;
    if (twin)
        __atomic_store_n(&ledger_entry(ledger, twin)->used, want, __ATOMIC_RELEASE);
    (void)__atomic_compare_exchange_n(&entry->used, &seen, want, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    return true; /* by us or by another thread */
}
