/* troughs.c - see troughs.h. */
#include "doctor/troughs.h"

#include "doctor/stats.h"

#define DEPTH 0.25     /* of the deepest fall: less is no fall, and no rise behind one */
#define TROUGHS_LEAST 4
#define TROUGHS_MAX 64 /* more are not needed */
#define STEADY 0.75    /* of the growth: its interval lies above this, or it is not known */

struct troughs {
    double tick[TROUGHS_MAX], live[TROUGHS_MAX];
    size_t count;
};

static void add(struct troughs *out, const struct point *low)
{
    if (out->count == TROUGHS_MAX)
        return;
    out->tick[out->count] = (double)low->tick;
    out->live[out->count++] = (double)low->live_min;
}

/* The lowest points between a fall and the rise behind it. */
static void find(struct troughs *out, const struct series *series, size_t begin)
{
    const double depth = DEPTH * series_fall(series, SERIES_TOTAL, begin);
    const struct point *low = NULL;
    double most = 0;

    for (size_t i = begin; i < series->count; i++) {
        const struct point *here = &series->points[i];
        const double live = (double)here->live_min;

        if (!low) {
            most = live > most ? live : most;
            low = live < most - depth ? here : NULL;
        } else if (live > (double)low->live_min + depth) {
            add(out, low);
            low = NULL;
            most = live;
        } else if (live < (double)low->live_min) {
            low = here;
        }
    }
}

double troughs_growth(const struct series *series)
{
    struct troughs troughs = {.count = 0};
    struct slope slope;

    find(&troughs, series, series->count / 4);
    if (troughs.count < TROUGHS_LEAST ||
        (troughs.tick[troughs.count - 1] - troughs.tick[0]) * 2 < (double)series->ticks)
        return 0;
    slope = stats_theil_sen(troughs.tick, troughs.live, troughs.count);
    return slope.estimate > 0 && slope.low >= STEADY * slope.estimate ? slope.estimate : 0;
}
