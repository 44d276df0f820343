/* envelope.h - the lasting part of a counter: the minimum of all its later values.
 *
 * E(t) = min over [t, end] of y. It never falls, and it ignores memory that is allocated and
 * released again. Its rises are the growth that has lasted so far. A store is full where it stops
 * rising.
 */
#ifndef TARE_DOCTOR_ENVELOPE_H
#define TARE_DOCTOR_ENVELOPE_H

#include "doctor/measure/series.h"

struct envelope {
    const struct series *series; /* borrowed */
    uint64_t *least;             /* owned; beside the points; NULL: no memory, and it never rises */
};

void envelope_init(struct envelope *out, const struct series *series, unsigned column);
void envelope_fini(struct envelope *envelope);

/* Its value at the end of a tick; before the first point, 0. */
uint64_t envelope_at(const struct envelope *envelope, uint64_t tick);

/* Rise per tick over (from, to]. */
double envelope_rate(const struct envelope *envelope, uint64_t from, uint64_t to);

/* Sets `still` to the ticks from the last rise in (from, to] to `to`, and `gap` to the mean gap
 * between rises. False: it does not rise there. */
bool envelope_last_rise(const struct envelope *envelope, uint64_t from, uint64_t to,
                        uint64_t *still, double *gap);

/* Whether growth in (from, to] slows down: the mean tick of a unit of rise minus the middle, as
 * a share of the length. 0 for steady growth, below 0 if it slows down. Sets `units` to the
 * whole rise. */
double envelope_trend(const struct envelope *envelope, uint64_t from, uint64_t to, double *units);

#endif /* TARE_DOCTOR_ENVELOPE_H */
