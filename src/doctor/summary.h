/* summary.h - the allocating places of a process, by what they hold, what they add and what they
 * held at the peak. No opinion: these are the numbers a verdict starts from. */
#ifndef TARE_DOCTOR_SUMMARY_H
#define TARE_DOCTOR_SUMMARY_H

#include "base/err.h"

#define SUMMARY_SITES 20 /* entries of each list */

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/places.h */
struct process_report; /* doctor/diagnosis.h */

/* Fills the three lists of sites. Size classes of one stack are one site. Growth is the bytes of
 * blocks alive that were born in the second half of the intervals, over their number. */
int summary_fill(struct process_report *report, const struct model *model, struct places *places,
                 struct arena *arena, struct why *why);

/* Restates growth, and the step of the peak, in ticks of the clock that the report has
 * chosen; growth per second where that is the clock of time. */
void summary_use_clock(struct process_report *report, const struct model *model);

#endif /* TARE_DOCTOR_SUMMARY_H */
