/* judge.h - turns the measurements of one process into a verdict. say/ adds the words later. */
#ifndef TARE_DOCTOR_JUDGE_H
#define TARE_DOCTOR_JUDGE_H

#include "base/err.h"

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct process_report; /* doctor/facts/diagnosis.h */
struct run;            /* ledger/model.h */
struct visit;          /* doctor/measure/visit.h */

/* Fills verdict, confidence, clock, clock_reason, clock_count, findings and forecast of a
 * report. Its raw numbers and site lists must be filled already. The findings have facts, not
 * words. */
void judge_visit(struct process_report *report, struct visit *visit);

/* The same with its own visit, for callers that need neither words nor places. */
int judge_process(struct process_report *report, const struct model *model, const struct run *run,
                  struct arena *arena, struct why *why);

#endif /* TARE_DOCTOR_JUDGE_H */
