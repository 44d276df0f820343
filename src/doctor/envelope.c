/* envelope.c - see envelope.h. */
#include "doctor/envelope.h"

#include "base/arena.h"

static uint64_t value(const struct point *point, unsigned column)
{
    return column == ENVELOPE_TOTAL ? point->total : point->least[column];
}

void envelope_build(struct envelope *out, const struct series *series, unsigned column,
                    struct arena *arena)
{
    uint64_t least = UINT64_MAX;

    out->series = series;
    out->least = arena_take(arena, series->count + 1, sizeof(*out->least));
    for (size_t i = series->count; out->least && i-- > 0;) {
        const uint64_t here = value(&series->points[i], column);

        least = here < least ? here : least;
        out->least[i] = least;
    }
}

uint64_t envelope_at(const struct envelope *envelope, uint64_t tick)
{
    const size_t after = series_after(envelope->series, tick);

    return after > 0 && envelope->least ? envelope->least[after - 1] : 0;
}

double envelope_rate(const struct envelope *envelope, uint64_t from, uint64_t to)
{
    if (to <= from)
        return 0;
    return (double)(envelope_at(envelope, to) - envelope_at(envelope, from)) / (double)(to - from);
}

bool envelope_last_rise(const struct envelope *envelope, uint64_t from, uint64_t to,
                        uint64_t *still, double *gap)
{
    const struct point *points = envelope->series->points;
    uint64_t first = 0, last = 0, rises = 0;

    if (!envelope->least)
        return false;
    for (size_t i = series_after(envelope->series, from); i < envelope->series->count; i++) {
        if (points[i].tick > to)
            break;
        if (i == 0 || envelope->least[i] <= envelope->least[i - 1])
            continue;
        first = rises++ ? first : points[i].tick;
        last = points[i].tick;
    }
    if (rises == 0)
        return false;
    *still = to - last;
    *gap = rises > 1 ? (double)(last - first) / (double)(rises - 1) : (double)(to - from);
    return true;
}

double envelope_slowing(const struct envelope *envelope, uint64_t from, uint64_t to)
{
    const double now = envelope_rate(envelope, from, to);
    const uint64_t warm = to / 10; /* the first tenth is warm-up */
    uint64_t length = to - from, end = from;
    double most = 1;

    while (now > 0 && end > warm + length / 2) {
        const uint64_t begin = end > warm + length ? end - length : warm;
        const double then = envelope_rate(envelope, begin, end);

        if (then < RULE_ONSET * now)
            break;
        most = then / now > most ? then / now : most;
        end = begin;
        length *= 2;
    }
    return most;
}
