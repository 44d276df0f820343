/* objects.c - see objects.h. */
#include "doctor/ask/objects.h"

#include "doctor/measure/classes.h"

static uint64_t ticks_watched(const struct series *series)
{
    size_t first = series->count;

    while (first > 0 && series->points[first - 1].watched)
        first--;
    if (first == series->count)
        return 0;
    return series->ticks - (first > 0 ? series->points[first - 1].tick : 0);
}

/* Steps are counted by every clock that ticks. */
static uint64_t steps_of(const struct series *series, uint64_t ticks)
{
    return series->ticks ? ticks * series->ordinals / series->ticks + 1 : ticks;
}

void objects_look(struct objects *out, const struct visit *visit)
{
    const struct series *series = &visit->series;

    *out = (struct objects){.suspect = false};
    for (size_t i = 0; i < visit->suspect_count; i++) {
        const unsigned column = visit->suspects[i].column;

        if (column == SERIES_OBJECTS)
            out->suspect = true;
        else if (column < SERIES_MAPS)
            out->suspected |= 1ull << column;
    }
    out->focus = classes_focus(visit->model, series, visit->suspects, visit->suspect_count);
    out->seen = ticks_watched(series);
    out->watched = out->seen > 0;
    out->window = steps_of(series, RULE_OBJECTS_WINDOW);
}
