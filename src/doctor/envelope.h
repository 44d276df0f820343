/* envelope.h - the lasting part of a counter: the least of all that comes later.
 *
 * E(t) = min over [t, end] of y. It never falls, ignores what comes and goes, and its rises are the
 * growth that has lasted so far. Where it stopped rising, a store was full.
 */
#ifndef TARE_DOCTOR_ENVELOPE_H
#define TARE_DOCTOR_ENVELOPE_H

#include "doctor/series.h"

#define ENVELOPE_TOTAL SERIES_COLUMNS /* in the place of a column: all classes together */

struct envelope {
    const struct series *series; /* borrowed */
    uint64_t *least;             /* beside the points; owned by the arena; NULL: no memory */
};

void envelope_build(struct envelope *out, const struct series *series, unsigned column,
                    struct arena *arena);

/* Its value at the end of a tick; before the first point, 0. */
uint64_t envelope_at(const struct envelope *envelope, uint64_t tick);

/* Rise per tick over (from, to]. */
double envelope_rate(const struct envelope *envelope, uint64_t from, uint64_t to);

/* Ticks from its last rise in (from, to] to `to`, and the mean gap between rises; 0 rises: false. */
bool envelope_last_rise(const struct envelope *envelope, uint64_t from, uint64_t to,
                        uint64_t *still, double *gap);

/* Walks back from the window (from, to] in stretches that double, until one grew more slowly (there
 * the growth began) or history ends: how many times as fast the fastest stretch met was. */
double envelope_slowing(const struct envelope *envelope, uint64_t from, uint64_t to);

#endif /* TARE_DOCTOR_ENVELOPE_H */
