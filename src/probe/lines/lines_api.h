/* lines_api.h - sees the lines of marked Python functions and reports them to lines.h.
 *
 * Up to 3.11 by the interpreter's hook for the evaluation of a frame: it knows a marked function by
 * its code object, traces only the lines of its frames, and takes the tracing away again for the
 * calls that they make. From 3.12 on by sys.monitoring, which the adapter sets up with the functions
 * made here. Either way a function that is not marked costs one comparison for a call, or nothing.
 * A tracer of the program's own is never replaced: its functions go unmeasured, and a note says so.
 *
 * Here is what the two ways share: the interpreter's functions, found by name, and which functions of the
 * program are marked. lines_eval.c and lines_monitor.c are the two ways.
 */
#ifndef TARE_PROBE_LINES_API_H
#define TARE_PROBE_LINES_API_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/python/python_code.h"

typedef void object; /* PyObject */

struct lines_api {
    object *(*call_with)(object *function, ...); /* PyObject_CallFunctionObjArgs */
    object *(*attribute)(object *of, const char *name);
    object *(*sys_object)(const char *name);
    object *(*new_function)(void *definition, object *self, object *module);
    object *(*new_tuple)(long size);
    int (*set_item)(object *tuple, long at, object *value);
    object *(*globals)(void);
    object *(*state)(void); /* the calling thread's */
    int (*line_number)(object *frame);
    void (*set_trace)(int (*trace)(object *, object *, int, object *), object *with);
    void (*keep)(object *one);
    void (*drop)(object *one);
    void (*forget_error)(void);
    void (*lift_error)(object **type, object **value, object **traceback);
    void (*restore_error)(object *type, object *value, object *traceback);
    long (*as_long)(object *number);
    object *(*interpreter)(void);
    object *none;
};

extern struct lines_api lines_api; /* complete once lines_api_find has said so */
extern struct python lines_python; /* version and offsets of this interpreter */

/* Calls of adapters, which hold the interpreter's lock: see entry/adapter_abi.h. */
int lines_api_begin(void);
int lines_api_mark(void *code, const char *name, const char *file, int first_line, int locals);
int lines_api_wait_for(void *name, void *decide);

/* The number of a function that is to be measured; 0: it is not. `globals`: of its frame; borrowed.
 * May run Python code of the adapter, when it meets a function of a name that is waited for. */
unsigned lines_api_wanted(uintptr_t code, object *(*globals)(uintptr_t frame), uintptr_t frame);

/* The quick test: does the function's name already rule it out? */
bool lines_api_named(uintptr_t code);

bool lines_api_runs_in_turns(uintptr_t code); /* a generator or a coroutine */

/* Releases the variables of a frame that has ended, as the interpreter is about to do. False: it is
 * not certain that it is. `frame` is the interpreter's own record, from 3.11 on. */
bool lines_api_drop_locals(uintptr_t frame, uintptr_t code);

/* lines_eval.c: puts the hook in place. False: this interpreter has none. */
bool lines_eval_install(void);

/* lines_monitor.c */
void *lines_monitor_functions(void *disable);

#endif /* TARE_PROBE_LINES_API_H */
