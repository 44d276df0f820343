/* costs.h - what measuring costs the program, by kind, straight into the ledger. */
#ifndef TARE_PROBE_COSTS_H
#define TARE_PROBE_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* Adds to the record of this kind; of `longest_ns` the greater one stays. Any thread, async-signal-safe. */
void costs_add(struct ledger *ledger, enum cost_kind kind, const struct cost_record *part);

/* What a request does between these two is one pause at most. */
struct costs_meter {
    uint64_t worked; /* processor time of this thread at its beginning, in nanoseconds */
    uint64_t paused; /* pauses so far, in nanoseconds */
};

struct costs_meter costs_begin(uint64_t paused);
void costs_end(struct ledger *ledger, enum cost_kind kind, const struct costs_meter *meter, uint64_t paused,
               bool done);

#endif /* TARE_PROBE_COSTS_H */
