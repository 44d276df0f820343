/* forecast.c - see forecast.h. */
#include "doctor/judge/forecast.h"

#include <math.h>

#include "base/arena.h"
#include "doctor/runtime/script.h"

static uint64_t headroom(const struct limit_record *limit)
{
    return limit->bytes > limit->used ? limit->bytes - limit->used : 0;
}

static const char *name_of(const struct model *own, size_t index, struct arena *arena)
{
    const char *path = own->limit_paths ? own->limit_paths[index] : NULL;

    switch (own->limits[index].kind) {
    case LIMIT_CGROUP:
        return path && *path ? arena_print(arena, "memory limit of the cgroup %s", path)
                             : "memory limit of the cgroup";
    case LIMIT_ADDRESS_SPACE:
        return "limit on the address space";
    case LIMIT_MACHINE:
        return "memory of the machine";
    case LIMIT_DEVICE:
        return path && *path ? arena_print(arena, "memory of the device %s", path)
                             : "memory of the device";
    default:
        return "memory limit";
    }
}

/* The index of the limit with the least headroom, among device limits or host limits. Returns limit_count
 * if there is none. */
static size_t tightest_limit(const struct model *own, bool device)
{
    size_t best = own->limit_count;

    for (size_t i = 0; i < own->limit_count; i++)
        if ((own->limits[i].kind == LIMIT_DEVICE) == device &&
            (best == own->limit_count || headroom(&own->limits[i]) < headroom(&own->limits[best])))
            best = i;
    return best;
}

#define FORECAST_MOST 1e18 /* steps or seconds; keeps the numbers finite */

void forecast_reach(struct forecast *out, const struct clock_choice *clock, struct slope rate)
{
    const struct slope sure = stats_in_order(rate);

    out->known = sure.low > 0;
    if (!out->known)
        return;
    out->steps_low = fmin(FORECAST_MOST, (double)out->headroom / sure.high);
    out->steps_high = fmin(FORECAST_MOST, (double)out->headroom / sure.low);
    out->seconds_low = out->steps_low * clock->seconds;
    out->seconds_high = out->steps_high * clock->seconds;
}

void forecast_make(struct forecast *out, const struct run *run, bool device,
                   const struct clock_choice *clock, const struct slope *rate, struct arena *arena)
{
    const struct model *own = run ? run->own : NULL;
    const size_t best = own ? tightest_limit(own, device) : 0;

    *out = (struct forecast){.known = false};
    if (!own || best == own->limit_count)
        return;
    out->limit = name_of(own, best, arena);
    out->limit_bytes = own->limits[best].bytes;
    out->headroom = headroom(&own->limits[best]);
    forecast_reach(out, clock, *rate);
}

void forecast_heap(struct forecast *out, const struct visit *visit)
{
    const struct finding *finding = script_heap_finding(visit);
    const uint64_t limit = script_gauge(visit->model, GAUGE_heap_limit);
    const uint64_t used = script_gauge(visit->model, GAUGE_heap_kept);
    const double scale = clock_scale(&visit->clock);
    struct forecast heap = {.limit = "limit of the JavaScript heap", .limit_bytes = limit};

    if (!finding || limit <= used || !visit->run || (out->known && out->headroom < limit - used))
        return;
    heap.headroom = limit - used;
    forecast_reach(&heap, &visit->clock,
                   (struct slope){finding->rate.estimate / scale, finding->rate.low / scale,
                                  finding->rate.high / scale});
    if (heap.known)
        *out = heap;
}
