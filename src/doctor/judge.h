/* judge.h - from measurements of one process to a verdict. */
#ifndef TARE_DOCTOR_JUDGE_H
#define TARE_DOCTOR_JUDGE_H

#include "base/err.h"

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/places.h */
struct process_report; /* doctor/diagnosis.h */
struct run;            /* ledger/model.h */

/* Fills verdict, confidence, answer, clock, clock_reason, clock_count, findings, forecast and
 * appends to notes. report->* raw numbers and site lists are filled before. Place lookup:
 * places_of(struct places *, uint32_t stack, const struct place **out, size_t *count). */
int judge_process(struct process_report *report, const struct model *model, const struct run *run,
                  struct places *places, struct arena *arena, struct why *why);

#endif /* TARE_DOCTOR_JUDGE_H */
