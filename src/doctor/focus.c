/* focus.c - see focus.h. */
#include "doctor/focus.h"

#include "base/arena.h"
#include "doctor/classes.h"

uint64_t focus_of(const struct model *model)
{
    struct suspect suspects[CLASSES_SUSPECTS_MAX];
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;
    uint64_t mask;

    if (!arena)
        return 0;
    clock_choose(&clock, model, arena);
    series_build(&series, model, &clock, arena);
    mask = classes_focus(model, &series, suspects, classes_suspect(suspects, &series));
    arena_free(arena);
    return mask;
}
