/* arenas.c - see arenas.h.
 *
 * How much memory the objects need is estimated from the run itself: the smallest number of arena bytes
 * per object at any time. The few survivors pin what the arenas hold beyond that.
 */
#include "doctor/detect/arenas.h"

#include "doctor/detect/detect.h"

static void read_point(struct pinned *out, double *densest, const struct point *point)
{
    const uint64_t blocks = point->least[SERIES_OBJECTS];

    if (blocks == 0 || point->arenas == 0)
        return;
    if (*densest == 0 || (double)point->arenas / (double)blocks < *densest)
        *densest = (double)point->arenas / (double)blocks;
    if (blocks > out->most) {
        out->most = blocks;
        out->tick = point->tick;
    }
}

bool arenas_judge(struct pinned *out, const struct series *series)
{
    const struct point *last = &series->points[series->count - 1];
    double densest = 0, needed;

    *out = (struct pinned){.bytes = last->arenas, .blocks = last->least[SERIES_OBJECTS]};
    for (size_t i = 0; i < series->count; i++)
        read_point(out, &densest, &series->points[i]);
    needed = densest * (double)out->blocks;
    if (densest == 0 || needed >= (double)out->bytes)
        return false;
    out->held = out->bytes - (uint64_t)needed;
    return out->held >= RULE_RETAINED_BYTES &&
           (double)out->held >= RULE_RETAINED_SHARE * (double)last->resident;
}

bool detect_arenas_applies(const struct visit *visit)
{
    return visit->series.count > 0;
}

void detect_arenas(struct visit *visit)
{
    struct pinned pinned;
    struct finding *out;

    if (!arenas_judge(&pinned, &visit->series) ||
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_fragmentation;
    out->confidence = 0.9;
    out->live_bytes = pinned.held;
    out->since = pinned.tick;
    advise(out, REMEDY_python_arenas);
    out->headline = FACT_OF(arenas_hold, pinned.held);
    fact_add(out, FACT_OF(arenas_take, pinned.bytes, pinned.blocks));
    fact_add(out, FACT_OF(arenas_had, pinned.tick, pinned.most));
}
