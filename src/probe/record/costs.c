/* costs.c - see costs.h. The counters are those of the ledger: a new process has a new one, and nothing is
 * lost when the program is killed. */
#include "probe/record/costs.h"

#include "probe/core/raw.h"

static void add(uint64_t *to, uint64_t amount)
{
    if (amount)
        (void)__atomic_add_fetch(to, amount, __ATOMIC_RELAXED);
}

static void raise_to(uint64_t *most, uint64_t value)
{
    uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);

    while (value > before &&
           !__atomic_compare_exchange_n(most, &before, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void costs_add(struct ledger *ledger, enum cost_kind kind, const struct cost_record *part)
{
    struct cost_record *record = (struct cost_record *)ledger_records(ledger, SECTION_costs) + kind;

    add(&record->count, part->count);
    add(&record->refused, part->refused);
    add(&record->program_ns, part->program_ns);
    add(&record->copy_ns, part->copy_ns);
    add(&record->pause_ns, part->pause_ns);
    raise_to(&record->longest_ns, part->longest_ns);
    add(&record->bytes, part->bytes);
}

struct costs_meter costs_begin(uint64_t paused)
{
    return (struct costs_meter){.worked = raw_worked(), .paused = paused};
}

void costs_end(struct ledger *ledger, enum cost_kind kind, const struct costs_meter *meter, uint64_t paused,
               bool done)
{
    costs_add(ledger, kind,
              &(struct cost_record){.count = done,
                                    .refused = !done,
                                    .program_ns = raw_worked() - meter->worked,
                                    .pause_ns = paused - meter->paused,
                                    .longest_ns = paused - meter->paused});
}
