/* clock.h - which of the recorded clocks ticks with the work. */
#ifndef TARE_DOCTOR_CLOCK_H
#define TARE_DOCTOR_CLOCK_H

#include "ledger/model.h"

struct arena;

struct clock_choice {
    enum clock_id id;
    const char *name;   /* spelling, as in clocks.def */
    const char *says;   /* what one tick of it is */
    const char *reason; /* why this one; owned by the arena */
    uint64_t ticks;
    double seconds; /* of one tick, on the average; 0: not known */
};

/* The slowest clock that recurs often enough, the program's own marks before all others. */
void clock_choose(struct clock_choice *out, const struct model *model, struct arena *arena);

/* "step", or "second" for the clock of time slices, whose rates are told per second. */
/* What a tick is called, by the clock's spelling (which may be NULL): "slice", "model" or "step"; and
 * what rates are told by: "second", "model" or "step". */
const char *clock_tick_name(const char *name);
const char *clock_rate_name(const char *name);

const char *clock_unit(const struct clock_choice *clock);

/* What a rate per tick must be multiplied by to be told in clock_unit. */
double clock_scale(const struct clock_choice *clock);

#endif /* TARE_DOCTOR_CLOCK_H */
