/* lines_api.c - see lines_api.h. */
#include "probe/lines/lines_api.h"

#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/lines/lines.h"
#include "probe/lines/small_count.h"
#include "probe/python/stack_python.h"
#include "probe/python/python_function.h"

#define NAMES 64
#define REJECTED 64
#define TEST_DEPTH 32
#define IN_TURNS (0x20u | 0x80u | 0x200u) /* generator, coroutine, asynchronous generator */

/* The interpreter's record of a frame, from 3.11 on. */
enum { FRAME_OBJECT_311 = 40, FRAME_OBJECT = 48, FRAME_LOCALS = 72, CODE_FLAGS = 48 };

struct lines_api lines_api;
struct python lines_python;

static object *names[NAMES]; /* owned: interned, so that their addresses can be compared */
static object *deciders[NAMES]; /* owned: beside names; NULL: no function decides */
static unsigned name_count;
static uintptr_t rejected[REJECTED]; /* owned: code objects of such a name that are not wanted */
static unsigned rejected_count;
static int locals_of[LINES_FUNCTIONS]; /* by number - 1 */

#define FIND(name, field) python_function(PYTHON_##name, &lines_api.field)

static bool find_functions(void)
{
    return FIND(PyObject_CallFunctionObjArgs, call_with) &&
           FIND(PyObject_GetAttrString, attribute) && FIND(PySys_GetObject, sys_object) &&
           FIND(PyCFunction_NewEx, new_function) && FIND(PyTuple_New, new_tuple) &&
           FIND(PyTuple_SetItem, set_item) && FIND(PyEval_GetGlobals, globals) &&
           FIND(PyThreadState_Get, state) && FIND(PyFrame_GetLineNumber, line_number) &&
           FIND(PyEval_SetTrace, set_trace) && FIND(Py_IncRef, keep) &&
           FIND(Py_DecRef, drop) && FIND(PyErr_Clear, forget_error) &&
           FIND(PyErr_Fetch, lift_error) && FIND(PyErr_Restore, restore_error) &&
           FIND(PyLong_AsLong, as_long) && FIND(PyInterpreterState_Get, interpreter) &&
           FIND(_Py_NoneStruct, none);
}

/* The caller is a function of Python: where no stack was walked before, this one is the test. */
static const struct python *trusted(void)
{
    struct thread *thread = thread_self;
    struct python_frame frames[TEST_DEPTH];
    struct ledger *ledger;

    if (stack_python_trusted() || !thread || thread->busy)
        return stack_python_trusted();
    thread->busy = 1;
    ledger = state_ledger();
    if (ledger)
        (void)stack_python_walk(ledger, frames, TEST_DEPTH);
    thread->busy = 0;
    return stack_python_trusted();
}

static bool find_interpreter(void)
{
    const struct python *python = trusted();

    if (!python || !find_functions())
        return false;
    lines_python = *python;
    return true;
}

enum way { WAY_NONE = 0, WAY_EVALUATION = 1, WAY_MONITORING = 2 };

int lines_api_begin(void)
{
    static int way = -1;

    if (way >= 0)
        return way;
    way = WAY_NONE;
    if (state_is_off() || !find_interpreter())
        return way;
    (void)small_count_possible();
    if ((lines_python.version >> 16 & 0xff) >= 12)
        way = WAY_MONITORING;
    else if (lines_eval_install())
        way = WAY_EVALUATION;
    return way;
}

/* ---- which functions ---- */

/* From 3.11 on the offset is that of the qualified name, which lies after the name. */
static object *name_of(uintptr_t code)
{
    const bool old = (lines_python.version >> 16 & 0xff) < 11;

    return (object *)python_word(code + lines_python.offsets.code_name - (old ? 0 : 8));
}

bool lines_api_named(uintptr_t code)
{
    const object *name = name_of(code);

    for (unsigned i = 0; i < name_count; i++)
        if (names[i] == name)
            return true;
    return false;
}

static bool is_rejected(uintptr_t code)
{
    for (unsigned i = 0; i < rejected_count; i++)
        if (rejected[i] == code)
            return true;
    return rejected_count == REJECTED;
}

static void ask(uintptr_t code, object *globals)
{
    struct lines_pause pause;

    lines_pause(&pause);
    for (unsigned i = 0; i < name_count; i++) {
        object *answer;

        if (names[i] != name_of(code) || !deciders[i])
            continue;
        answer = lines_api.call_with(deciders[i], (object *)code, globals, NULL);
        if (answer)
            lines_api.drop(answer);
        else
            lines_api.forget_error();
    }
    lines_resume(&pause);
}

unsigned lines_api_wanted(uintptr_t code, object *(*globals)(uintptr_t frame), uintptr_t frame)
{
    unsigned number = lines_find(code);

    if (number || is_rejected(code))
        return number;
    ask(code, globals(frame));
    number = lines_find(code);
    if (!number && rejected_count < REJECTED) {
        lines_api.keep((object *)code);
        rejected[rejected_count++] = code;
    }
    return number;
}

static bool add_name(object *name, object *decide)
{
    for (unsigned i = 0; i < name_count; i++)
        if (names[i] == name && deciders[i] == decide)
            return true;
    if (name_count == NAMES)
        return false;
    lines_api.keep(name);
    if (decide)
        lines_api.keep(decide);
    names[name_count] = name;
    deciders[name_count++] = decide;
    return true;
}

int lines_api_mark(void *code, const char *name, const char *file, int first_line, int locals)
{
    const unsigned known = lines_find((uintptr_t)code);
    unsigned number;

    if (!lines_api_begin())
        return 0;
    number = lines_mark((uintptr_t)code, name, file, (uint32_t)(first_line > 0 ? first_line : 0));
    if (!number || known)
        return (int)number;
    lines_api.keep(code);
    locals_of[number - 1] = locals;
    return add_name(name_of((uintptr_t)code), NULL) ? (int)number : 0;
}

int lines_api_wait_for(void *name, void *decide)
{
    return lines_api_begin() && add_name(name, decide);
}

/* ---- frames ---- */

static int32_t number_at(uintptr_t at)
{
    int32_t number;

    memcpy(&number, (const void *)at, sizeof(number));
    return number;
}

bool lines_api_runs_in_turns(uintptr_t code)
{
    /* Before 3.11 the flags lie before the first line, from then on before the counts. */
    const bool old = (lines_python.version >> 16 & 0xff) < 11;
    const uintptr_t flags = old ? lines_python.offsets.code_line - 4u : CODE_FLAGS;

    return ((uint32_t)number_at(code + flags) & IN_TURNS) != 0;
}

bool lines_api_drop_locals(uintptr_t frame, uintptr_t code)
{
    const unsigned minor = lines_python.version >> 16 & 0xff, number = lines_find(code);
    const int32_t count = number_at(code + lines_python.offsets.code_line + 4);
    const uintptr_t holder =
        python_word(frame + (minor == 11 ? FRAME_OBJECT_311 : FRAME_OBJECT));

    if (minor < 11 || minor > 13 || !number || count != locals_of[number - 1] ||
        python_word(frame + lines_python.offsets.frame_code) != code ||
        lines_api_runs_in_turns(code))
        return false;
    if (holder && number_at(holder) != 1)
        return false; /* other code holds the frame: its variables stay alive */
    for (int32_t i = 0; i < count; i++) {
        uintptr_t *at = (uintptr_t *)(frame + FRAME_LOCALS) + i;
        object *value = (object *)*at;

        *at = 0;
        if (value)
            lines_api.drop(value);
    }
    return true;
}
