/* stats.c - see stats.h. */
#include "doctor/facts/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Summed from k down; the first term by its logarithm, so that large means do not underflow. */
double stats_poisson_below(double mean, double k)
{
    double sum = 0, term;
    double i = floor(k);

    if (k < 0)
        return 0;
    if (mean <= 0 || i > mean + 40 * sqrt(mean + 1))
        return 1;
    term = exp(i * log(mean) - mean - lgamma(i + 1));
    while (i >= 0 && term > 0) {
        sum += term;
        if (i < mean && term < sum * 1e-12)
            break;
        term *= i / mean;
        i -= 1;
    }
    return sum < 1 ? sum : 1;
}

static int by_value(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double at_rank(const double *sorted, size_t count, double rank)
{
    const double last = (double)(count - 1);
    const double clipped = rank < 0 ? 0 : rank > last ? last : rank;

    return sorted[(size_t)clipped];
}

struct slope stats_theil_sen(const double *x, const double *y, size_t count)
{
    static const double z = 1.96;
    double slopes[STATS_POINTS * (STATS_POINTS - 1) / 2];
    const double n = (double)count;
    const double spread = z * sqrt(n * (n - 1) * (2 * n + 5) / 18);
    struct slope out = {0, 0, 0};
    size_t pairs = 0;

    assert(count <= STATS_POINTS);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            if (x[j] > x[i])
                slopes[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
    if (pairs == 0)
        return out;
    qsort(slopes, pairs, sizeof(slopes[0]), by_value);
    out.estimate = pairs % 2 ? slopes[pairs / 2] : (slopes[pairs / 2 - 1] + slopes[pairs / 2]) / 2;
    out.low = at_rank(slopes, pairs, floor(((double)pairs - spread) / 2));
    out.high = at_rank(slopes, pairs, ceil(((double)pairs + spread) / 2));
    return out;
}

struct slope stats_in_order(struct slope slope)
{
    slope.low = fmin(slope.low, slope.estimate);
    slope.high = fmax(slope.high, slope.estimate);
    return slope;
}

void stats_add(struct slope *sum, struct slope more)
{
    sum->estimate += more.estimate;
    sum->low += more.low;
    sum->high += more.high;
}

double stats_dispersion(const double *counts, size_t count)
{
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < count; i++)
        sum += counts[i];
    if (count < 2 || sum <= 0)
        return 0;
    mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (counts[i] - mean) * (counts[i] - mean);
    return squares / (double)(count - 1) / mean;
}
