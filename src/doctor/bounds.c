/* bounds.c - see bounds.h. */
#include "doctor/bounds.h"

#include <math.h>

#include "ledger/site_kind.h"

#define HEADER_BYTES 8.0 /* beside the usable size of a block: glibc's chunk header */

static bool is_leak(const struct finding *finding)
{
    return kind_status(finding->kind) == 1;
}

static bool is_of_objects(const struct visit *visit, const struct finding *finding)
{
    return finding->site > 0 && visit->model->sites[finding->site - 1].kind == SITE_OBJECT;
}

static struct finding *largest_leak(struct visit *visit)
{
    struct finding *largest = NULL;

    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (is_leak(finding) && (!largest || finding->rate.estimate > largest->rate.estimate))
            largest = finding;
    }
    return largest;
}

static bool follows_objects(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (is_leak(&visit->findings[i]) && is_of_objects(visit, &visit->findings[i]))
            return true;
    return false;
}

/* Units per tick by which the exact count of a column rose after the first quarter. */
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

/* The memory that is mapped for small objects says how large one is at most, on average. */
static double small_growth(const struct series *series)
{
    const struct point *last = series->count > 0 ? &series->points[series->count - 1] : NULL;
    const double objects = last ? (double)last->least[SERIES_OBJECTS] : 0;

    return objects > 0 ? rise_of(series, SERIES_OBJECTS) * (double)last->arenas / objects : 0;
}

/* A tick that was cut off at either end of the window, or not counted, is one in all that were seen. */
static void add_edges(struct interval *rate, uint64_t ticks)
{
    const double edge = ticks > 0 ? rate->estimate / (double)ticks : 0;

    rate->low = fmax(0, rate->low - edge);
    rate->high += edge;
}

/* What nobody attributed goes to the largest leak; more than half of it has another cause. */
static void add_unattributed(struct visit *visit)
{
    struct finding *largest = largest_leak(visit);
    const double headers = HEADER_BYTES * rise_of(&visit->series, SERIES_TOTAL);
    const double small = follows_objects(visit) ? 0 : small_growth(&visit->series);

    if (largest)
        largest->rate.high +=
            fmin((headers + small) * clock_scale(&visit->clock), largest->rate.estimate / 2);
}

static void order(struct interval *rate)
{
    const struct slope ordered = stats_in_order((struct slope){rate->estimate, rate->low, rate->high});

    *rate = (struct interval){ordered.estimate, ordered.low, ordered.high};
}

void bounds_settle(struct visit *visit)
{
    add_unattributed(visit);
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (is_leak(finding))
            add_edges(&finding->rate, visit->series.ticks);
        order(&finding->rate);
    }
}
