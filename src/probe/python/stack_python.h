/* stack_python.h - the calling thread's own Python frames, by raw reads, without the interpreter's
 * lock and without calling it, but for two getters that only load.
 *
 * The offsets are trusted after a self-test on the first frames met, made by copies that cannot
 * fault. An interpreter that fails it, of an unknown version or free-threaded, is left alone for good:
 * its stacks are native ones, and a note in the ledger says so.
 */
#ifndef TARE_PROBE_STACK_PYTHON_H
#define TARE_PROBE_STACK_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/python/python_code.h"

/* At probe start, in the main thread: the interpreter is there already when the program is one or is
 * linked with one. */
void stack_python_setup(void);

/* Around dlclose: an interpreter that was loaded later may go again. */
void stack_python_unloading(void);
void stack_python_unloaded(void);

void stack_python_forked(void);

bool stack_python_is_here(void); /* an interpreter is in this process, trusted or not */

/* Innermost first; 0: this thread has no Python state or no frame, or the offsets are not
 * trusted. */
unsigned stack_python_walk(struct ledger *ledger, struct python_frame *frames, unsigned max);

/* Does this address lie in the interpreter itself? */
bool stack_python_holds(uintptr_t address);

/* Is this address of the interpreter in the function that runs Python's code? True if that is not known. */
bool stack_python_evaluates(uintptr_t address);

/* The frame that Python is in, on this thread; 0: none, or no trust. Only to be compared. */
uintptr_t stack_python_innermost(void);

/* The interpreter, once its frames have been found as they should be; NULL: no trust, or it has begun
 * to end. */
const struct python *stack_python_trusted(void);

/* The unit of a frame for the ledger; 0: could not be recorded. */
uint32_t stack_python_unit(struct ledger *ledger, const struct python_frame *frame);

#endif /* TARE_PROBE_STACK_PYTHON_H */
