/* loops.h - the clock of Python programs that have no other: turns of the outermost loop.
 *
 * No tracing, no profiling: each sampled allocation of the interpreter's main thread is a look at its
 * stack (loops_pure.h). What needs the interpreter is done in a pending call, which the interpreter
 * runs soon afterwards between two instructions: reading the loops of functions that are new, and
 * noticing that what allocated has been finished since. A loop is counted once it has turned
 * LOOPS_LEAST times without being left.
 */
#ifndef TARE_PROBE_LOOPS_H
#define TARE_PROBE_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/python/python_code.h"

#define LOOPS_LEAST 8

void loops_forked(void); /* in a forked child, on its only thread */

/* A sampled allocation on the main thread; frames innermost first, `max` or more if there may be more
 * of them than `count`. */
void loops_look(const struct python_frame *frames, unsigned count, unsigned max, uint64_t now);

/* In a pending call, with the stack as it is now. False: a module is being imported. */
bool loops_pending(const struct python *python, const struct python_frame *frames, unsigned count);

/* Would a pending call show more? */
bool loops_want_pending(void);

struct loops_taken {
    unsigned turns;  /* turns of the loop since the last call */
    unsigned around; /* turns of the loop around it since the last call */
    uint32_t unit;   /* function of the loop, as in FRAME_PYTHON; 0: not recorded */
    uint32_t offset; /* where in its function the loop begins, in bytes of code */
    bool library;    /* the loop belongs to a library, and calls the program */
};

void loops_take(struct loops_taken *out);

#endif /* TARE_PROBE_LOOPS_H */
