/* phases.h - a record in the ledger whenever another thing counts the work (ledger/layout_phases.h). */
#ifndef TARE_PROBE_PHASES_H
#define TARE_PROBE_PHASES_H

#include "ledger/writer.h"
#include "probe/loops.h"

/* The counts of the clocks before this tick. */
struct phases_clocks {
    uint64_t ordinal, turns, around;
};

/* A step was told by the program or a framework. */
void phases_step(struct ledger *ledger, const struct phases_clocks *clocks, uint64_t now);

/* A loop has turned. */
void phases_loop(struct ledger *ledger, const struct phases_clocks *clocks,
                 const struct loops_taken *taken, uint64_t now);

/* An allocation was sampled. */
void phases_work(struct ledger *ledger, uint64_t now);

/* So many nanoseconds of processor time went into a request of ours: that is not work of the program. */
void phases_ours(uint64_t worked);

/* The program is over: what it did since its last tick is written down, and nothing is after that. */
void phases_end(void);

void phases_reset(void); /* in a forked child */

#endif /* TARE_PROBE_PHASES_H */
