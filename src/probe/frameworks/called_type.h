/* called_type.h - calls of a Python object that C code has made callable: JAX's compiled functions.
 *
 * The type's own function that calls an object is replaced by one that records the call and then
 * makes it: the stack of the call is published for the threads that will do the work (handoff.h),
 * and a clock ticks. Only the outermost of nested calls counts, and for the clock only functions
 * that are not the framework's.
 */
#ifndef TARE_PROBE_CALLED_TYPE_H
#define TARE_PROBE_CALLED_TYPE_H

#include <stdint.h>

/* Once, before the first type: what is called when the clock of such a type ticks. */
void called_type_setup(void (*on_tick)(uint32_t clock));

/* `flags`: the type's own flags; they show that its layout is the expected one. `own`: how the
 * names of the framework's modules begin; copied. 1: calls are recorded from now on. */
int called_type_add(void *type, unsigned long flags, int clock, const char *own);

#endif /* TARE_PROBE_CALLED_TYPE_H */
