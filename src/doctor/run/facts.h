/* facts.h - the raw numbers of one process, and what its ledger says in words. */
#ifndef TARE_DOCTOR_FACTS_H
#define TARE_DOCTOR_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "doctor/facts/diagnosis.h"

struct arena; /* base/arena.h */
struct model; /* ledger/model.h */
struct run;   /* ledger/model.h */

/* Everything of the report but site lists and judgement. Check arena_failed() after it. */
void facts_fill(struct process_report *report, const struct model *model, const struct run *run,
                struct arena *arena);

/* Adds one sentence to a list in the arena. */
void facts_note(const char ***notes, size_t *count, const char *text, struct arena *arena);

/* A note where the number of open files rose with the steps. After the clock was chosen. */
void facts_descriptors(struct process_report *report, const struct run *run, struct arena *arena);

/* Adds a note if the resident size still rises and a library's own pool is large. Its use is not
 * visible. */
void facts_pools(struct process_report *report, const struct model *model, struct arena *arena);

#endif /* TARE_DOCTOR_FACTS_H */
