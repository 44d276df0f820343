/* levels.h - a history of any length in bounded room.
 *
 * Level 0 is a ring of LEVELS_FIRST records, every further one a ring of LEVELS_LATER. When a ring
 * is full, its two oldest records merge into one at the end of the next level: constant work per
 * record, and level k holds spans of 2^k. The merged record is published before its parts are
 * removed, so a reader may meet a span twice and keeps the coarser one.
 * One writer at a time.
 */
#ifndef TARE_LEDGER_LEVELS_H
#define TARE_LEDGER_LEVELS_H

#include "ledger/step.h"
#include "ledger/writer.h"

#define LEVELS_FIRST 2048
#define LEVELS_LATER 1024
#define LEVELS_COUNT 21

/* Folds `newer`, which directly follows, into `older`. */
typedef void levels_merge_fn(void *older, const void *newer);

/* False: there was no room, and nothing changed. */
bool levels_append(struct ledger *ledger, enum section records, enum section levels,
                   const void *record, levels_merge_fn *merge);

/* A step of a process, packed. */
bool levels_append_step(struct ledger *ledger, const struct step_record *step);

void step_merge(void *older, const void *newer);   /* struct packed_step */
void sample_merge(void *older, const void *newer); /* struct sample_record */

static inline uint64_t levels_start(unsigned level)
{
    return level == 0 ? 0 : LEVELS_FIRST + (uint64_t)(level - 1) * LEVELS_LATER;
}

static inline uint64_t levels_size(unsigned level)
{
    return level == 0 ? LEVELS_FIRST : LEVELS_LATER;
}

#endif /* TARE_LEDGER_LEVELS_H */
