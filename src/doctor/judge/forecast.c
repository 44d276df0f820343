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

/* Bytes that the process can still get on this device: what the driver has left, and what is free in the
 * framework's pool. 0: not known. */
static uint64_t device_headroom(const struct model *model, const struct device_record *device,
                                const struct limit_record *limit)
{
    const uint64_t pool = device->taken > device->used ? device->taken - device->used : 0;

    if (limit && model->device_count == 1)
        return headroom(limit) + pool;
    return device->memory > device->taken ? device->memory - device->taken + pool : 0;
}

static const struct limit_record *device_limit(const struct run *run)
{
    const struct model *own = run ? run->own : NULL;
    const size_t found = own ? tightest_limit(own, true) : 0;

    return own && found < own->limit_count ? &own->limits[found] : NULL;
}

void forecast_devices(struct forecast *out, const struct visit *visit)
{
    const struct limit_record *limit = device_limit(visit->run);

    for (size_t i = 0; i < visit->model->device_count; i++) {
        const struct model_device *device = &visit->model->devices[i];
        const struct slope rate = visit->device_growth[device->record.index % LEDGER_DEVICES];
        struct forecast one = {.headroom = device_headroom(visit->model, &device->record, limit)};

        if (one.headroom == 0)
            continue;
        forecast_reach(&one, &visit->clock, rate);
        if (!one.known || (out->known && out->seconds_low <= one.seconds_low))
            continue;
        one.limit_bytes = device->record.memory ? device->record.memory : limit ? limit->bytes : 0;
        one.limit = device->name[0] ? arena_print(visit->arena, "memory of device %u (%s)",
                                                  device->record.index, device->name)
                                    : arena_print(visit->arena, "memory of device %u", device->record.index);
        *out = one;
    }
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
