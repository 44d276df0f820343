/* examine.h - one process, judged and put in words. */
#ifndef TARE_DOCTOR_EXAMINE_H
#define TARE_DOCTOR_EXAMINE_H

#include "base/err.h"

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/source/places.h */
struct process_report; /* doctor/facts/diagnosis.h */
struct run;            /* ledger/model.h */

/* Fills what judge_visit does, and all words. The report's raw numbers and site lists are filled before;
 * `run` and `places` may be NULL. */
int examine_process(struct process_report *report, const struct model *model, const struct run *run,
                    struct places *places, struct arena *arena, struct why *why);

#endif /* TARE_DOCTOR_EXAMINE_H */
