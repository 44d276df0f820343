/* costs.h - what measuring cost, by kind: of a process as its ledger has it, of the run as the sum. */
#ifndef TARE_DOCTOR_COSTS_H
#define TARE_DOCTOR_COSTS_H

#include "doctor/facts/diagnosis.h"

struct model; /* ledger/model.h */

/* NULL: the ledger is older, or there is no memory. In the arena. */
const struct cost_summary *costs_of(const struct model *model, struct arena *arena);

/* Sums over all processes that are known; their reports are filled. `own`: the run's ledger, or NULL. */
void costs_sum(struct diagnosis *out, const struct model *own);

const char *cost_name(enum cost_kind kind); /* as in the JSON: "holders" */

/* "search for holders", "searches for holders". */
const char *cost_words(enum cost_kind kind, uint64_t count);

#endif /* TARE_DOCTOR_COSTS_H */
