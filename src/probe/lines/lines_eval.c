/* lines_eval.c - 3.9 to 3.11: the hook for the evaluation of frames, and a trace of marked ones.
 *
 * A hook that was there before is called in its turn (PEP 523), so a compiler with its own hook
 * still works. The trace is set while the interpreter is in a marked function's own frame; for
 * frames that the function calls it is taken away again.
 */
#include "probe/core/state.h"
#include "probe/lines/lines.h"
#include "probe/lines/lines_api.h"
#include "probe/python/python_function.h"

enum { TRACE_CALL = 0, TRACE_LINE = 2 };

typedef object *evaluate_fn(object *state, object *frame, int throwing);

static evaluate_fn *next_evaluate;
static object *token;         /* owned: what sys.gettrace gives while the trace is ours */
static object *get_trace;     /* owned */
static object *clear_frame;   /* owned: a method of frames, once it is needed; before 3.11 */
static __thread bool tracing; /* the trace of this thread is ours */
static __thread unsigned traced;      /* the function whose frame it is in */
static __thread bool resumed; /* it does not begin, but goes on */
static bool noted;            /* another tracer was found, and the ledger says so */

/* ---- the trace ---- */

static int trace(object *self, object *frame, int what, object *argument)
{
    (void)self;
    (void)argument;
    if (what == TRACE_LINE)
        lines_at(traced, (uint32_t)lines_api.line_number(frame), true);
    else if (what == TRACE_CALL && resumed)
        lines_at(traced, (uint32_t)lines_api.line_number(frame), false);
    return 0;
}

enum tracer { TRACER_NONE, TRACER_OURS, TRACER_OTHER };

/* An exception may be on its way, here and wherever the trace is set. */
static enum tracer current(void)
{
    object *type, *value, *traceback, *now;
    enum tracer who;

    lines_api.lift_error(&type, &value, &traceback);
    now = lines_api.call_with(get_trace, NULL);
    who = now == lines_api.none ? TRACER_NONE : now == token ? TRACER_OURS : TRACER_OTHER;
    if (now)
        lines_api.drop(now);
    lines_api.restore_error(type, value, traceback);
    return who;
}

static void set_trace(int (*function)(object *, object *, int, object *), object *with)
{
    object *type, *value, *traceback;

    lines_api.lift_error(&type, &value, &traceback);
    lines_api.set_trace(function, with);
    lines_api.restore_error(type, value, traceback);
}

static void say_other(void)
{
    struct ledger *ledger = state_ledger_now();

    if (noted || !ledger)
        return;
    noted = true;
    ledger_note(ledger, state_ordinal(),
                "A tracer of the program's own (a debugger, a coverage tool) was in place: while it "
                "was there, calls of marked functions were not measured line by line.");
}

/* Takes ours away for a while. False: it is not there any more. */
static bool suspend(void)
{
    if (!tracing)
        return false;
    tracing = false;
    if (current() != TRACER_OURS) {
        say_other();
        return false;
    }
    set_trace(NULL, NULL);
    return true;
}

static void resume(unsigned function)
{
    if (current() != TRACER_NONE) {
        say_other();
        return;
    }
    traced = function;
    resumed = false;
    set_trace(trace, token);
    tracing = true;
}

/* ---- frames ---- */

static bool has_begun(uintptr_t frame, uintptr_t code)
{
    const struct python_offsets *offsets = &lines_python.offsets;
    int32_t position;

    if (offsets->position_unit == 0)
        return python_word(frame + offsets->frame_position) >= code + offsets->code_first;
    memcpy(&position, (const void *)(frame + offsets->frame_position), sizeof(position));
    return position >= 0;
}

/* Before 3.11 a frame is an object: what a call of its clear() does is what its end is about to do. */
static bool clear_object(uintptr_t frame, uintptr_t code)
{
    object *result;

    if (python_word(frame) != 1 || lines_api_runs_in_turns(code)) /* references */
        return false;
    if (!clear_frame) {
        struct lines_pause pause;

        lines_pause(&pause);
        clear_frame = lines_api.attribute((object *)python_word(frame + PYTHON_TYPE), "clear");
        lines_resume(&pause);
    }
    result = clear_frame ? lines_api.call_with(clear_frame, (object *)frame, NULL) : NULL;
    if (!result) {
        lines_api.forget_error();
        return false;
    }
    lines_api.drop(result);
    return true;
}

static bool drop_locals(uintptr_t frame, uintptr_t code)
{
    return (lines_python.version >> 16 & 0xff) >= 11 ? lines_api_drop_locals(frame, code)
                                                     : clear_object(frame, code);
}

static object *globals_of(uintptr_t frame)
{
    object *globals;

    if ((lines_python.version >> 16 & 0xff) >= 11)
        return (object *)python_word(frame + 8);
    globals = lines_api.attribute((object *)frame, "f_globals");
    if (globals)
        lines_api.drop(globals); /* the frame has it, too */
    else
        lines_api.forget_error();
    return globals ? globals : lines_api.none;
}

static object *run_marked(object *state, object *frame, int throwing, unsigned function)
{
    const uintptr_t code = python_word((uintptr_t)frame + lines_python.offsets.frame_code);
    const bool again = has_begun((uintptr_t)frame, code);
    object *result;
    bool dropped;

    if (current() != TRACER_NONE) {
        say_other();
        return next_evaluate(state, frame, throwing);
    }
    lines_enter(function, !again);
    resume(function);
    resumed = again;
    result = next_evaluate(state, frame, throwing);
    (void)suspend();
    /* Of a call that an exception ends, the traceback has the frame. */
    dropped = lines_api_runs_in_turns(code) || !result || drop_locals((uintptr_t)frame, code);
    lines_leave(function, dropped);
    return result;
}

static object *evaluated(object *state, object *frame, int throwing)
{
    const uintptr_t code = python_word((uintptr_t)frame + lines_python.offsets.frame_code);
    const bool named = lines_api_named(code);
    const unsigned outer = traced;
    bool suspended;
    unsigned function;
    object *result;

    if (!named && !tracing)
        return next_evaluate(state, frame, throwing);
    suspended = suspend();
    function = named && !throwing ? lines_api_wanted(code, globals_of, (uintptr_t)frame)
                                  : lines_find(code);
    result = function ? run_marked(state, frame, throwing, function)
                      : next_evaluate(state, frame, throwing);
    if (suspended)
        resume(outer);
    return result;
}

/* ---- putting it in place ---- */

static bool install(void)
{
    evaluate_fn *(*get)(object *) = NULL;
    void (*set)(object *, evaluate_fn *) = NULL;
    object *interpreter = lines_api.interpreter();

    if (!python_function(PYTHON__PyInterpreterState_GetEvalFrameFunc, &get) ||
        !python_function(PYTHON__PyInterpreterState_SetEvalFrameFunc, &set))
        return false;
    next_evaluate = get(interpreter);
    if (!next_evaluate)
        return false;
    set(interpreter, evaluated);
    return true;
}

bool lines_eval_install(void)
{
    if (next_evaluate)
        return true;
    get_trace = lines_api.sys_object("gettrace");
    token = lines_api.new_tuple(1);
    if (!get_trace || !token) {
        lines_api.forget_error();
        return false;
    }
    lines_api.keep(get_trace);
    lines_api.keep(lines_api.none);
    (void)lines_api.set_item(token, 0, lines_api.none);
    return install();
}
