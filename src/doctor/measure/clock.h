/* clock.h - which of the recorded clocks ticks with the work. */
#ifndef TARE_DOCTOR_CLOCK_H
#define TARE_DOCTOR_CLOCK_H

#include "doctor/measure/phases.h"
#include "doctor/facts/ticks.h"

struct clock_choice {
    enum clock_id id;   /* the chosen clock */
    const char *reason; /* why this clock was chosen; owned by the arena */
    uint64_t ticks;     /* its ticks in the judged phase */
    double seconds; /* mean length of one tick; 0: not known */
    const struct phase_loop *loop; /* the only loop whose turns are counted; NULL: every tick counts */
    bool over;     /* `loop` is over, and too little was seen of the work after it */
    uint64_t base; /* ticks of earlier phases, which are not counted */
    bool waits;    /* the process waits between most ticks, as a server waits for requests */
    uint64_t from; /* ordinal in which the judged phase began; 0: when the process began */
};

/* True for slices of time and turns of a loop. They tick whatever the program does. */
bool clock_is_weak(const struct clock_choice *clock);

/* Its ticks are arrivals: requests or many events, which come without end and many per second.
 * Training steps are not arrivals, and neither are the turns of a busy loop. */
bool clock_arrives(const struct clock_choice *clock);

/* Ticks of the clock in the judged phase, up to the end of this record. */
uint64_t clock_tick(const struct clock_choice *clock, const struct step_record *step);

/* Chooses the slowest clock that recurs often enough. The program's own marks come before all
 * others. */
void clock_choose(struct clock_choice *out, const struct model *model, struct arena *arena);

/* The factor that turns a rate per tick into a rate per clock_rate_name (per second or per
 * tick). */
double clock_scale(const struct clock_choice *clock);

#endif /* TARE_DOCTOR_CLOCK_H */
