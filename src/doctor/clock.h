/* clock.h - which of the recorded clocks ticks with the work. */
#ifndef TARE_DOCTOR_CLOCK_H
#define TARE_DOCTOR_CLOCK_H

#include "doctor/phases.h"

struct clock_choice {
    enum clock_id id;
    const char *name;   /* spelling, as in clocks.def */
    const char *says;   /* what one tick of it is */
    const char *reason; /* why this one; owned by the arena */
    uint64_t ticks;
    double seconds; /* of one tick, on the average; 0: not known */
    const struct phase_loop *loop; /* the one loop whose turns are counted; NULL: any tick of the clock */
    bool over;     /* that loop is over, and too little was seen of what followed */
    uint64_t base; /* ticks of earlier phases, which are not counted */
    uint64_t from; /* ordinal in which the phase began that is judged; 0: with the process */
};

/* Slices of time and turns of a loop: they tick with the program's work, whatever it does. */
bool clock_is_weak(const struct clock_choice *clock);

/* How often the clock had ticked in the phase that is judged, at the end of this record. */
uint64_t clock_tick(const struct clock_choice *clock, const struct step_record *step);

/* The slowest clock that recurs often enough, the program's own marks before all others. */
void clock_choose(struct clock_choice *out, const struct model *model, struct arena *arena);

/* The only place that says what a tick is called, by the clock's spelling (which may be NULL): "step",
 * "model", "request", "batch", "turn", "epoch", or "slice" of time; for `count` of them, "batches"; and what
 * rates are told by: the same, but "second" for slices. Sentences only: fields of JSON say "step" or
 * "second" (words_unit), whatever the clock. */
const char *clock_tick_name(const char *name);
const char *clock_ticks_name(const char *name, uint64_t count);
const char *clock_rate_name(const char *name);

bool clock_is_time(const char *name);

const char *clock_unit(const struct clock_choice *clock); /* of rates, of the clock that was chosen */

/* What a rate per tick must be multiplied by to be told in clock_unit. */
double clock_scale(const struct clock_choice *clock);

#endif /* TARE_DOCTOR_CLOCK_H */
