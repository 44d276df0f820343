/* stats.h - the statistics that the verdict uses. All functions are pure. */
#ifndef TARE_DOCTOR_STATS_H
#define TARE_DOCTOR_STATS_H

#include <stddef.h>

/* P(X <= k) for X Poisson with this mean. */
double stats_poisson_below(double mean, double k);

struct slope {
    double estimate, low, high; /* change of y per unit of x, with a 95% interval */
};

#define STATS_POINTS 64 /* the most points stats_theil_sen takes */

/* The median of all pairwise slopes, with Sen's interval. Fewer than two points: zeros. */
struct slope stats_theil_sen(const double *x, const double *y, size_t count);

/* Returns the slope with its bounds on either side of the estimate. Sums and shares of slopes
 * can violate this, because their bounds come from different sources. */
struct slope stats_in_order(struct slope slope);

void stats_add(struct slope *sum, struct slope more);

/* Variance divided by mean: 1 for random arrivals, 0 for regular ones. */
double stats_dispersion(const double *counts, size_t count);

#endif /* TARE_DOCTOR_STATS_H */
