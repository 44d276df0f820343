/* evidence_held.c - sentences about what the holder's path says: bounds and caches. */
#include <string.h>

#include "base/text.h"
#include "doctor/evidence.h"
#include "doctor/owners.h"
#include "doctor/reach.h"

static const char *bound_name(const struct holder_step *step)
{
    return strstr(step->type, "deque") ? "maxlen" : "maxsize";
}

/* The length of a container is of the moment at which it was looked at: so must its bytes be. */
static double bytes_at_look(const struct finding *out, const struct visit *visit)
{
    const struct holder_record *record = out->site > 0 ? reach_record(visit->model, out->site - 1) : NULL;
    const uint64_t tick = record && record->ordinal > 0 ? series_tick(&visit->series, record->ordinal)
                                                        : visit->series.ticks;
    const uint64_t since = tick < visit->series.ticks ? visit->series.ticks - tick : 0;
    const double then =
        (double)out->live_bytes - out->rate.estimate / clock_scale(&visit->clock) * (double)since;

    return then > 0 ? then : (double)out->live_bytes;
}

void evidence_bounded(struct finding *out, const struct visit *visit)
{
    const struct holder_step *step = &out->holder_path[out->holder_growing];
    const double each = bytes_at_look(out, visit) / (double)step->length;
    char size[TEXT_SIZE_MAX], now[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX], live[TEXT_SIZE_MAX];

    out->summary = arena_print(visit->arena, "Will stop at %s=%llu: about %s.", bound_name(step),
                               (unsigned long long)step->bound,
                               text_size(size, (uint64_t)(each * (double)step->bound)));
    evidence_say(out, visit,
                 arena_print(visit->arena,
                             "Its declared bound is %s; when it was looked at it held %s, and its "
                             "blocks are %s now.",
                             text_count(count, step->bound), text_count(now, step->length),
                             text_size(live, out->live_bytes)));
}

void evidence_cache(struct finding *out, const struct visit *visit)
{
    const struct holder_step *step = &out->holder_path[out->holder_growing];
    const uint64_t calls = step->hits + step->misses;
    char hits[TEXT_SIZE_MAX], all[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];

    if (calls > 0)
        evidence_say(out, visit,
                     arena_print(visit->arena,
                                 "The cache has no bound; it was hit in %s of %s calls (%.0f%%).",
                                 text_count(hits, step->hits), text_count(all, calls),
                                 100.0 * (double)step->hits / (double)calls));
    else
        evidence_say(out, visit,
                     arena_print(visit->arena, "It is a keyed store without a bound, of %s entries.",
                                 text_count(count, step->length)));
}
