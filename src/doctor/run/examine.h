/* examine.h - one process, judged and put in words. */
#ifndef TARE_DOCTOR_EXAMINE_H
#define TARE_DOCTOR_EXAMINE_H

#include "base/err.h"

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/source/places.h */
struct process_report; /* doctor/facts/diagnosis.h */
struct run;            /* ledger/model.h */
struct visit;          /* doctor/measure/visit.h */

/* Judges, finds what made the peak, and makes all words. The report's raw numbers and site lists are filled
 * before. */
void examine_visit(struct process_report *report, struct visit *visit);

/* The same with a visit of its own. `run` and `places` may be NULL. */
int examine_process(struct process_report *report, const struct model *model, const struct run *run,
                    struct places *places, struct arena *arena, struct why *why);

#endif /* TARE_DOCTOR_EXAMINE_H */
