/* summary.h - the allocating places of a process, by what they hold, what they add and what they
 * held at the peak. No opinion: these are the numbers a verdict starts from. */
#ifndef TARE_DOCTOR_SUMMARY_H
#define TARE_DOCTOR_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "doctor/facts/ticks.h"

#define SUMMARY_SITES 20 /* entries of each list */

struct arena;          /* base/arena.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/source/places.h */
struct process_report; /* doctor/facts/diagnosis.h */

/* All size classes of one stack, in one memory. */
struct summary_row {
    uint32_t stack;
    bool map;
    unsigned device; /* number of the device + 1; 0: memory of the host */
    uint64_t live, born, peak, newer; /* bytes; newer: alive, and born in the second half */
    double blocks;
};

/* One row for each stack and memory; `rows` has room for model->site_count. Returns how many there are.
 * What was released after the last tick of this clock counts as alive. */
size_t summary_rows(struct summary_row *rows, const struct model *model, enum clock_id clock);

/* Ticks of the report's clock (of time: seconds) that `newer` was gathered in; 0: too few to say. */
double summary_ticks(const struct process_report *report, const struct model *model);

/* Fills the three lists of sites, and the devices with a list each. Size classes of one stack are one site.
 * Growth is the bytes of
 * blocks alive that were born in the second half of the intervals, over their number. `clock`: see
 * summary_rows. */
int summary_fill(struct process_report *report, const struct model *model, enum clock_id clock,
                 struct places *places, struct arena *arena, struct why *why);

/* Restates growth, and the step of the peak, in ticks of the clock that the report has
 * chosen; growth per second where that is the clock of time. Where nothing grows, or too little was seen to
 * say, no line is listed as growing. */
void summary_use_clock(struct process_report *report, const struct model *model);

#endif /* TARE_DOCTOR_SUMMARY_H */
