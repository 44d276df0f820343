/* lines_monitor.c - from 3.12 on: the functions that sys.monitoring calls.
 *
 * They get a code object and a number, which the interpreter makes for the call and releases after
 * it. Where such a number takes memory, no line is charged for it.
 */
#include "probe/core/state.h"
#include "probe/lines/lines.h"
#include "probe/lines/lines_api.h"
#include "probe/python/arenas.h"

#define FAST 0x80 /* METH_FASTCALL */

struct definition { /* PyMethodDef */
    const char *name;
    object *(*function)(object *self, object *const *arguments, long count);
    int flags;
    const char *says;
};

enum { OTHERS = 2 };

static object *disable;        /* owned, as the next two */
static object *others[OTHERS]; /* functions of sys that give a tracer or profiler */
static object *get_frame;

static object *kept(object *value)
{
    lines_api.keep(value);
    return value;
}

static object *nothing(void)
{
    return kept(lines_api.none);
}

static object *current_globals(uintptr_t frame)
{
    (void)frame;
    return lines_api.globals();
}

/* A number with one reference was made for us; those that always exist have many. From 3.14 on the
 * interpreter keeps numbers to use them again, and takes no memory for one. */
static uint64_t made_for(object *number)
{
    int32_t count;

    if ((lines_python.version >> 16 & 0xff) >= 14)
        return 0;
    memcpy(&count, number, sizeof(count));
    return count == 1 ? arenas_size(number) : 0;
}

static object *on_start(object *self, object *const *arguments, long count)
{
    unsigned function;

    (void)self;
    if (count < 2 || !lines_api_named((uintptr_t)arguments[0]))
        return kept(disable);
    function = lines_api_wanted((uintptr_t)arguments[0], current_globals, 0);
    if (!function)
        return kept(disable);
    lines_enter(function, true);
    return nothing();
}

/* `line`: where the function resumes, which the interpreter does not report. */
static void resume(uintptr_t code)
{
    const unsigned function = lines_find(code);
    object *frame;

    if (!function)
        return;
    lines_enter(function, false);
    frame = get_frame ? lines_api.call_with(get_frame, NULL) : NULL;
    if (frame) {
        lines_at(function, (uint32_t)lines_api.line_number(frame), false);
        lines_api.drop(frame);
    } else {
        lines_api.forget_error();
    }
}

static object *on_resume(object *self, object *const *arguments, long count)
{
    (void)self;
    if (count >= 2)
        resume((uintptr_t)arguments[0]);
    return nothing();
}

static object *on_line(object *self, object *const *arguments, long count)
{
    const unsigned function = count >= 2 ? lines_find((uintptr_t)arguments[0]) : 0;
    uint64_t made;

    (void)self;
    if (!function)
        return kept(disable);
    made = made_for(arguments[1]);
    if (made)
        lines_discount(made, 0);
    lines_at(function, (uint32_t)lines_api.as_long(arguments[1]), true);
    if (made)
        lines_discount(0, made);
    return nothing();
}

/* Nobody else looks at the function now. Other tools the adapter has asked for. */
static bool is_alone(void)
{
    bool alone = true;

    for (size_t i = 0; i < OTHERS && alone; i++) {
        object *value = others[i] ? lines_api.call_with(others[i], NULL) : NULL;

        alone = value == lines_api.none;
        if (value)
            lines_api.drop(value);
        else
            lines_api.forget_error();
    }
    return alone;
}

static void find_others(void)
{
    static const char *const names[OTHERS] = {"gettrace", "getprofile"};

    for (size_t i = 0; i < OTHERS; i++) {
        others[i] = lines_api.sys_object(names[i]);
        if (others[i])
            lines_api.keep(others[i]);
    }
    get_frame = lines_api.sys_object("_getframe");
    if (get_frame)
        lines_api.keep(get_frame);
}

static uintptr_t current_frame(void)
{
    const struct python_offsets *offsets = &lines_python.offsets;
    const uintptr_t at = python_word((uintptr_t)lines_api.state() + offsets->state_frame);

    return offsets->holder_frame == PYTHON_ABSENT || !at ? at
                                                         : python_word(at + offsets->holder_frame);
}

static void leave(object *const *arguments, bool ends)
{
    const unsigned function = lines_find((uintptr_t)arguments[0]);
    const uint64_t made = function ? made_for(arguments[1]) : 0;
    bool dropped = true;

    if (!function)
        return;
    if (made)
        lines_discount(made, 0);
    if (ends && !lines_api_runs_in_turns((uintptr_t)arguments[0])) {
        const uintptr_t frame = current_frame();

        dropped = frame && is_alone() && lines_api_drop_locals(frame, (uintptr_t)arguments[0]);
    }
    lines_leave(function, dropped);
    if (made)
        lines_discount(0, made);
}

static object *on_return(object *self, object *const *arguments, long count)
{
    (void)self;
    if (count >= 2)
        leave(arguments, true);
    return nothing();
}

static object *on_yield(object *self, object *const *arguments, long count)
{
    (void)self;
    if (count >= 2)
        leave(arguments, false);
    return nothing();
}

/* Called for every function that an exception leaves. */
static object *on_unwind(object *self, object *const *arguments, long count)
{
    (void)self;
    if (count >= 2 && lines_inside())
        leave(arguments, false);
    return nothing();
}

static object *on_throw(object *self, object *const *arguments, long count)
{
    (void)self;
    if (count >= 2 && lines_api_named((uintptr_t)arguments[0]))
        resume((uintptr_t)arguments[0]);
    return nothing();
}

static struct definition definitions[] = {
    {"start", on_start, FAST, 0},   {"resume", on_resume, FAST, 0}, {"line", on_line, FAST, 0},
    {"return", on_return, FAST, 0}, {"yield", on_yield, FAST, 0},   {"unwind", on_unwind, FAST, 0},
    {"throw", on_throw, FAST, 0},
};

void *lines_monitor_functions(void *word)
{
    const long count = (long)(sizeof(definitions) / sizeof(definitions[0]));
    object *tuple = lines_api.new_tuple(count);

    for (long i = 0; i < count && tuple; i++) {
        object *function = lines_api.new_function(&definitions[i], NULL, NULL);

        if (!function || lines_api.set_item(tuple, i, function) != 0) {
            lines_api.drop(tuple);
            tuple = NULL;
        }
    }
    if (!tuple) {
        lines_api.forget_error();
        return nothing();
    }
    find_others();
    disable = kept(word);
    return tuple;
}
