/* spare_stack.h - room for the probe's deeper work.
 *
 * To take a sample, write a step or end a run takes up to 24 KB of stack. A thread's own stack
 * usually has that much, and then the probe uses it: interpreters compare the stack pointer with
 * limits of their own. The stack of a coroutine, of a signal handler or of a very small thread may
 * have only 4 KB. Then the work runs on one of a few stacks that the probe owns.
 */
#ifndef TARE_PROBE_SPARE_STACK_H
#define TARE_PROBE_SPARE_STACK_H

#include <stdbool.h>
#include <stdint.h>

typedef void spare_work(void *context);

/* Calls work(context) here if there is room, else on a spare stack. False: it was not called, because
 * all spare stacks are in use or none could be mapped. */
bool spare_stack_call(spare_work *work, void *context);

/* The same, always on a spare stack, whatever stack this is. */
bool spare_stack_call_away(spare_work *work, void *context);

/* Where the spare stacks are; 0 and 0: none was ever needed. What lies there holds nothing for the
 * program. */
void spare_stack_range(uintptr_t *start, uintptr_t *end);

/* Where the stack is that was left for the spare one of this address: a word of it, with nothing of the
 * program's below it. 0: the address is not on a spare stack. */
uintptr_t spare_stack_user(uintptr_t sp);

#endif /* TARE_PROBE_SPARE_STACK_H */
