/* native_part.c - see native_part.h. */
#include "probe/record/native_part.h"

#include "probe/core/stack_bounds.h"
#include "probe/js/stack_js.h"
#include "probe/python/stack_python.h"

/* Frames of the interpreter that allocate for their caller: PyObject_Malloc, PyTuple_New. A library that
 * keeps its data in the language's objects allocates through them. */
#define SERVING 8

/* How far the walk has come. */
struct progress {
    unsigned serving;
    bool found; /* a frame outside the interpreter */
};

static bool is_interpreter(uintptr_t pc)
{
    return stack_python_holds(pc) || stack_js_holds(pc);
}

/* The code that runs functions of the language, or has compiled them. */
static bool evaluates(uintptr_t pc)
{
    return stack_python_evaluates(pc) || stack_js_evaluates(pc);
}

static enum native_choice choose(uintptr_t pc, void *context)
{
    struct progress *progress = context;

    if (!is_interpreter(pc)) {
        progress->found = true;
        return NATIVE_TAKE;
    }
    return progress->found || evaluates(pc) || progress->serving++ == SERVING ? NATIVE_END : NATIVE_PASS;
}

/* Compiled at run time, it has a new address each time. Several such frames in a row are one. */
static unsigned merge_unknown(struct native_frame *frames, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++) {
        if (frames[i].unit == 0 && kept > 0 && frames[kept - 1].unit == 0)
            continue;
        frames[kept] = frames[i];
        if (frames[kept].unit == 0)
            frames[kept].offset = 0;
        kept++;
    }
    return kept;
}

unsigned native_part_walk(const void *frame, struct native_frame *frames, unsigned max)
{
    const uintptr_t *at = frame;
    const struct stack_start start = {
        .pc = at[1], .sp = (uintptr_t)frame + 2 * sizeof(*at), .bp = at[0]};
    struct stack_bounds bounds = {.low = start.sp};
    struct progress progress = {0};
    unsigned count;

    (void)stack_bounds_of_thread(&bounds);
    count = stack_native_choose(&start, &bounds, choose, &progress, frames, max);
    return merge_unknown(frames, count);
}
