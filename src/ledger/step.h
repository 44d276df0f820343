/* step.h - a step as everybody works with it: every clock and gauge in its place. In the ledger it is packed.
 */
#ifndef TARE_LEDGER_STEP_H
#define TARE_LEDGER_STEP_H

#include "ledger/layout.h"

/* It begins as struct packed_step does, where the fields are explained. */
struct step_record {
    uint64_t first;
    uint64_t last;
    uint64_t time;
    uint64_t live_bytes;
    uint64_t live_min;
    uint64_t live_max;
    uint64_t live_blocks;
    uint64_t allocated_bytes;
    uint64_t allocated_blocks;
    uint64_t mapped_bytes;
    uint64_t shared_bytes;
    uint64_t resident;
    uint64_t sampled;
    uint32_t ticked;
    uint32_t threads;
    uint32_t class_blocks[LEDGER_CLASSES];
    uint64_t clock[LEDGER_CLOCKS];  /* counts after the last, by enum clock_id */
    uint64_t gauges[LEDGER_GAUGES]; /* by enum gauge_id */
};

void step_pack(struct packed_step *out, const struct step_record *step);

/* Any bytes do: values beyond the room for them are 0. */
void step_unpack(struct step_record *out, const struct packed_step *packed);

/* Where the value of this gauge lies in a packed step; NULL: it is 0. */
uint64_t *step_gauge(struct packed_step *packed, enum gauge_id gauge);

#endif /* TARE_LEDGER_STEP_H */
