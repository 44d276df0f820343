/* forecast.c - see forecast.h. */
#include "doctor/forecast.h"

#include "base/arena.h"

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
    default:
        return "memory limit";
    }
}

void forecast_make(struct forecast *out, const struct run *run, const struct clock_choice *clock,
                   const struct slope *rate, struct arena *arena)
{
    const struct model *own = run ? run->own : NULL;
    size_t best = 0;

    *out = (struct forecast){.known = false};
    if (!own || own->limit_count == 0 || rate->low <= 0 || rate->estimate <= 0)
        return;
    for (size_t i = 1; i < own->limit_count; i++)
        if (headroom(&own->limits[i]) < headroom(&own->limits[best]))
            best = i;
    out->known = true;
    out->limit = name_of(own, best, arena);
    out->limit_bytes = own->limits[best].bytes;
    out->headroom = headroom(&own->limits[best]);
    out->steps_low = (double)out->headroom / rate->high;
    out->steps_high = (double)out->headroom / rate->low;
    out->seconds_low = out->steps_low * clock->seconds;
    out->seconds_high = out->steps_high * clock->seconds;
}
