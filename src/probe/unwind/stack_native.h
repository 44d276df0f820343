/* stack_native.h - who is calling: the native frames of the calling thread.
 *
 * By unwind tables with a cache per address, by frame pointers where there are no tables. Own thread
 * only. Runs inside a hook: no heap, no lock, no call that takes the loader's lock, errno kept; about
 * 1 KB of stack. Whatever the stack looks like, nothing outside the bounds is read and the walk ends:
 * every frame must lie above the one before.
 */
#ifndef TARE_PROBE_STACK_NATIVE_H
#define TARE_PROBE_STACK_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/core/stack_bounds.h"

/* The caller of the hook, at the return of the call: pc is the return address, sp the stack pointer
 * after it is taken off, bp what rbp will be then. */
struct stack_start {
    uintptr_t pc, sp, bp;
};

/* As in FRAME_NATIVE of ledger/layout.h: module record and return address less its base. Unit 0: no
 * module (code made at run time), or no ledger yet; offset is then the return address itself. */
struct native_frame {
    uint32_t unit;
    uint64_t offset;
};

/* At probe start, after modules_setup. */
void stack_native_setup(void);

/* In a forked child: what other threads of the parent held is free again. */
void stack_native_forked(void);

/* Innermost first; how many were found, at least 1 if max is. `complete`: the outermost frame was
 * reached; else the walk ended early, at `max`, at a signal frame, or at code it cannot see through.
 * Before modules_setup, and on an unknown stack that cannot be copied, there is one frame. */
unsigned stack_native_walk(const struct stack_start *start, const struct stack_bounds *bounds,
                           struct native_frame *frames, unsigned max, bool *complete);

/* The return address of the innermost caller that is not passed over; 0: it is not among the first
 * `max`, or the stack is unknown. */
uintptr_t stack_native_caller(const struct stack_start *start, const struct stack_bounds *bounds,
                              bool (*passes)(uintptr_t pc), unsigned max);

/* The frames that `choose` takes, innermost first, until it ends the walk, the walk ends by itself, or there
 * are `max`. */
enum native_choice { NATIVE_PASS, NATIVE_TAKE, NATIVE_END };
unsigned stack_native_choose(const struct stack_start *start, const struct stack_bounds *bounds,
                             enum native_choice (*choose)(uintptr_t pc, void *context), void *context,
                             struct native_frame *frames, unsigned max);

#endif /* TARE_PROBE_STACK_NATIVE_H */
