/* bounds.c - see bounds.h. */
#include "doctor/judge/bounds.h"

#include <math.h>

#include "ledger/site_kind.h"

#define HEADER_BYTES 8.0 /* glibc's chunk header; the usable size of a block does not include it */

static bool is_leak(const struct finding *finding)
{
    return kind_status(finding->kind) == 1;
}

static bool is_of(const struct visit *visit, const struct finding *finding, uint32_t kind)
{
    return finding->site > 0 && visit->model->sites[finding->site - 1].kind == kind;
}

/* Of the host's memory; each block of a device is counted. */
static struct finding *largest_leak(struct visit *visit)
{
    struct finding *largest = NULL;

    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (is_leak(finding) && finding->memory == MEMORY_HOST &&
            (!largest || finding->rate.estimate > largest->rate.estimate))
            largest = finding;
    }
    return largest;
}

static bool follows_objects(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_leak(&visit->findings[i]) && is_of(visit, &visit->findings[i], SITE_OBJECT))
            return true;
    return false;
}

/* By how much the exact count of a column rose per tick after the first quarter of the run. */
static double rise_of(const struct series *series, unsigned column)
{
    const struct point *last = series->count > 0 ? &series->points[series->count - 1] : NULL;
    const size_t begin = series_after(series, series->ticks / 4);
    double before, now, ticks;

    if (!last || begin >= series->count)
        return 0;
    before = (double)series->points[begin].least[column];
    now = (double)last->least[column];
    ticks = (double)(last->tick - series->points[begin].tick);
    return before > 0 && now > before && ticks > 0 ? (now - before) / ticks : 0;
}

/* Bytes per tick by which small objects grew, at most. An object has at most the average of the
 * memory mapped for them. */
static double small_growth(const struct series *series)
{
    const struct point *last = series->count > 0 ? &series->points[series->count - 1] : NULL;
    const double objects = last ? (double)last->least[SERIES_OBJECTS] : 0;

    return objects > 0 ? rise_of(series, SERIES_OBJECTS) * (double)last->arenas / objects : 0;
}

/* The first or last tick of the window may be incomplete or not counted, so the rate may be wrong by
 * one tick out of all ticks. RULE_RATE_ERROR stands for the memory around the blocks, which is not
 * measured. */
static void add_edges(struct interval *rate, uint64_t ticks)
{
    const double edge = ticks > 0 ? rate->estimate / (double)ticks : 0;

    rate->low = fmax(0, fmin(rate->low - edge, rate->estimate * (1 - RULE_RATE_ERROR)));
    rate->high = fmax(rate->high + edge, rate->estimate * (1 + RULE_RATE_ERROR));
}

/* The sum of the rates of all leaks in the heap. */
static double heap_leaks(const struct visit *visit)
{
    double sum = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_leak(&visit->findings[i]) && is_of(visit, &visit->findings[i], SITE_HEAP))
            sum += visit->findings[i].rate.estimate;
    return sum;
}

/* Live bytes are counted exactly. If the leaks together are between half and twice the growth of live
 * bytes, both measure the same growth. What remains of the exact growth after the other leaks belongs to
 * the largest one, so its interval must include that number. */
static void reach_exact_growth(struct finding *largest, const struct visit *visit)
{
    const double exact = series_growth(&visit->series) * clock_scale(&visit->clock);
    const double leaks = heap_leaks(visit), rest = exact - (leaks - largest->rate.estimate);

    if (!is_of(visit, largest, SITE_HEAP) || leaks < exact / 2 || leaks > exact * 2 || rest <= 0)
        return;
    largest->rate.low = fmin(largest->rate.low, rest);
    largest->rate.high = fmax(largest->rate.high, rest);
}

/* Adds growth without a line to the upper bound of the largest leak: at most half of the leak's rate,
 * because more than that has another cause. */
static void add_unattributed(struct finding *largest, const struct visit *visit)
{
    const double headers = HEADER_BYTES * rise_of(&visit->series, SERIES_TOTAL);
    const double small = follows_objects(visit) ? 0 : small_growth(&visit->series);

    largest->rate.high += fmin((headers + small) * clock_scale(&visit->clock), largest->rate.estimate / 2);
}

void bounds_settle(struct visit *visit)
{
    struct finding *largest = largest_leak(visit);

    if (largest) {
        reach_exact_growth(largest, visit);
        add_unattributed(largest, visit);
    }
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (is_leak(finding))
            add_edges(&finding->rate, visit->series.ticks);
    }
}
