/* called_type.h - calls of a Python object that C code has made callable: JAX's compiled functions.
 *
 * The type's own function that calls an object is replaced by one that tells and goes on: the stack
 * of the call is published for the threads that will do the work (launch.h), and a clock ticks. Only the
 * outermost of nested calls counts, and for the clock only functions that are not the framework's own.
 */
#ifndef TARE_PROBE_CALLED_TYPE_H
#define TARE_PROBE_CALLED_TYPE_H

/* `flags`: what the type says of itself, by which we know that it is laid out as we think. `own`: how
 * the names of the framework's modules begin; copied. 1: calls are told of from now on. */
int called_type_add(void *type, unsigned long flags, int clock, const char *own);

#endif /* TARE_PROBE_CALLED_TYPE_H */
