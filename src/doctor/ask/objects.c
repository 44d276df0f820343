/* objects.c - see objects.h. */
#include "doctor/ask/objects.h"

#include "base/arena.h"
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

void objects_look(struct objects *out, const struct model *model)
{
    struct suspect suspects[CLASSES_SUSPECTS_MAX];
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;
    size_t count;

    *out = (struct objects){.suspect = false};
    if (!arena)
        return;
    clock_choose(&clock, model, arena);
    series_build(&series, model, &clock, arena);
    count = classes_suspect(suspects, &series);
    for (size_t i = 0; i < count; i++) {
        if (suspects[i].column == SERIES_OBJECTS)
            out->suspect = true;
        else if (suspects[i].column < SERIES_MAPS)
            out->suspected |= 1ull << suspects[i].column;
    }
    out->focus = classes_focus(model, &series, suspects, count);
    out->seen = ticks_watched(&series);
    out->watched = out->seen > 0;
    out->window = steps_of(&series, RULE_OBJECTS_WINDOW);
    arena_free(arena);
}
