/* envelope.c - see envelope.h. */
#include "doctor/measure/envelope.h"

#include "base/mem.h"

void envelope_init(struct envelope *out, const struct series *series, unsigned column)
{
    uint64_t least = UINT64_MAX;

    out->series = series;
    out->least = mem_zalloc_array(series->count + 1, sizeof(*out->least));
    for (size_t i = series->count; out->least && i-- > 0;) {
        const uint64_t here = series->points[i].least[column];

        least = here < least ? here : least;
        out->least[i] = least;
    }
}

void envelope_fini(struct envelope *envelope)
{
    mem_free(envelope->least);
    envelope->least = NULL;
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

double envelope_trend(const struct envelope *envelope, uint64_t from, uint64_t to, double *units)
{
    const struct point *points = envelope->series->points;
    const double length = (double)(to - from), middle = (double)from + (length + 1) / 2;
    double sum = 0;

    *units = 0;
    if (!envelope->least)
        return 0;
    for (size_t i = series_after(envelope->series, from); i < envelope->series->count; i++) {
        const uint64_t before = i > 0 ? envelope->least[i - 1] : 0;
        const double rise = (double)(envelope->least[i] - before);

        if (points[i].tick > to)
            break;
        if (i == 0)
            continue; /* blocks of the first point are not growth */
        *units += rise;
        sum += rise * ((double)points[i].tick - middle);
    }
    return *units > 0 ? sum / *units / length : 0;
}
