/* phases.h - a record in the ledger whenever another thing counts the work (ledger/layout.h). */
#ifndef TARE_PROBE_PHASES_H
#define TARE_PROBE_PHASES_H

#include "ledger/writer.h"
#include "probe/python/loops.h"

/* The counts of the clocks before this tick. */
struct phases_clocks {
    uint64_t ordinal, turns, around;
};

/* The program or a framework reported a step. */
void phases_step(struct ledger *ledger, const struct phases_clocks *clocks, uint64_t now);

/* A loop has turned. */
void phases_loop(struct ledger *ledger, const struct phases_clocks *clocks,
                 const struct loops_taken *taken, uint64_t now);

/* An allocation was sampled. */
void phases_work(struct ledger *ledger, uint64_t now);

/* A request of ours took this much processor time (ns): it does not count as work of the
 * program. */
void phases_ours(uint64_t worked);

/* The program has ended: records what it did since its last tick. Later activity is not
 * recorded. */
void phases_end(void);

void phases_forked(void); /* in a forked child */

#endif /* TARE_PROBE_PHASES_H */
