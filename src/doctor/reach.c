/* reach.c - see reach.h. */
#include "doctor/reach.h"

#include "base/arena.h"
#include "doctor/places.h"

const struct holder_record *reach_record(const struct model *model, uint32_t site)
{
    const uint32_t stack = model->sites[site].stack;

    for (size_t i = model->holder_count; i-- > 0;) {
        const struct holder_record *record = &model->holders[i];

        /* Another size class of the same stack has the same holder. */
        if (record->state == HOLDER_DONE && record->targets > 0 && record->site > 0 &&
            (record->site == site + 1 || (stack && model->sites[record->site - 1].stack == stack)))
            return record;
    }
    return NULL;
}

static const char *root_name(const struct holder_record *record, struct places *places,
                             struct arena *arena)
{
    const char *name = NULL;

    switch (record->root) {
    case ROOT_MODULE:
        if (places)
            name = places_variable(places, record->unit, record->offset);
        return name ? name : "a global variable";
    case ROOT_STACK:
        return "a stack, or thread-local memory";
    case ROOT_MEMORY:
        return arena_print(arena, "mapped or thread-local memory at 0x%llx",
                           (unsigned long long)record->offset);
    }
    return NULL;
}

/* "cache (cache.c:12) → +16 → +8 → the block"; a long way is cut in the middle. */
static const char *path_text(const struct holder_record *record, const char *root,
                             struct arena *arena)
{
    const uint32_t pointers = record->depth > 0 ? record->depth - 1 : 0;
    const uint32_t shown = pointers < HOLDER_PATH ? pointers : HOLDER_PATH;
    const char *text = root;

    for (uint32_t i = 0; i < shown && text; i++)
        text = arena_print(arena, "%s → +%u", text, record->path[i]);
    if (text && pointers > shown)
        text = arena_print(arena, "%s → … (%u more)", text, pointers - shown);
    return text;
}

/* Words in an interpreter's heap lead to the block; which object that is, only its adapter knows. */
static bool made_by_python(const struct model *model, uint32_t site)
{
    const uint32_t stack = model->sites[site].stack;

    return stack > 0 && stack <= model->frame_count &&
           model->frames[stack - 1].kind == FRAME_PYTHON;
}

enum reach reach_of(const struct model *model, uint32_t site, struct places *places,
                    struct arena *arena, const char **holder)
{
    const struct holder_record *record =
        site < model->site_count ? reach_record(model, site) : NULL;
    const char *root;

    *holder = NULL;
    if (!record)
        return REACH_UNKNOWN;
    /* A stale word somewhere may seem to hold a few: most of them decide. */
    if ((uint64_t)record->reached * 2 < record->targets)
        return REACH_LOST;
    if (made_by_python(model, site)) {
        *holder = "a Python object";
    } else {
        root = root_name(record, places, arena);
        *holder = root ? path_text(record, root, arena) : NULL;
    }
    return REACH_HELD;
}
