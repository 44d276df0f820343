/* envelope.h - the lasting part of a counter: the minimum of all its later values.
 *
 * E(t) = min over [t, end] of y. It never falls and ignores what comes and goes. Its rises are the
 * growth that has lasted so far. A store was full at the point where it stopped rising.
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

/* Ticks from its last rise in (from, to] to `to`, and the mean gap between rises; 0 rises: false.
 */
bool envelope_last_rise(const struct envelope *envelope, uint64_t from, uint64_t to,
                        uint64_t *still, double *gap);

/* Where in (from, to] the rises lie: the mean position of a unit of rise, minus the middle, as a
 * share of the length. It is 0 for steady growth and below 0 when growth slows. `units` receives
 * the whole rise. */
double envelope_trend(const struct envelope *envelope, uint64_t from, uint64_t to, double *units);

#endif /* TARE_DOCTOR_ENVELOPE_H */
