/* lines_python.h - sees the lines of marked Python functions, and tells lines.h of them.
 *
 * Up to 3.11 by the interpreter's hook for the evaluation of a frame: it knows a marked function by
 * its code object, traces the lines of its frames alone, and takes the tracing away again for the
 * calls that they make. From 3.12 on by sys.monitoring, which the adapter sets up with the functions
 * made here. Either way a function that is not marked costs one comparison for a call, or nothing.
 * A tracer of the program's own is never replaced: its functions go unmeasured, and a note says so.
 */
#ifndef TARE_PROBE_LINES_PYTHON_H
#define TARE_PROBE_LINES_PYTHON_H

#include <stdint.h>

/* Exported as `tare_lines_v1`, for the adapter, which holds the interpreter's lock. Frozen. */
struct tare_lines {
    /* Gets the interpreter ready. 1: by its evaluation hook, 2: by sys.monitoring, 0: not possible. */
    int (*begin)(void);
    /* Marks a code object; `locals`: how many variables it has. 0: there are too many. */
    int (*mark)(void *code, const char *name, const char *file, int first_line, int locals);
    /* Has `decide(code, globals)` called for every function of this name when it is first called. */
    int (*wait_for)(void *name, void *decide);
    /* A new tuple of functions for sys.monitoring: start, resume, line, return, yield, unwind, throw.
     * `disable` is what tells it that a function need not be told of again. */
    void *(*functions)(void *disable);
    void (*clear)(void); /* the numbers begin anew */
    void (*note)(const char *text); /* for the ledger */
    void (*attend)(void); /* does what the doctor waits for, between two steps */
};

#endif /* TARE_PROBE_LINES_PYTHON_H */
