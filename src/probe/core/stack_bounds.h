/* stack_bounds.h - which part of memory is the stack of the calling thread.
 *
 * glibc on x86-64. The main thread's stack ends at __libc_stack_end. Every other thread's control
 * block lies at the upper end of its stack, also of one that the program provided.
 */
#ifndef TARE_PROBE_STACK_BOUNDS_H
#define TARE_PROBE_STACK_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* low..high-1 is readable as long as the caller does not return; high 0: unknown. */
struct stack_bounds {
    uintptr_t low, high;
};

/* At probe start, in the main thread, where dlsym may still be called. */
void stack_bounds_init(void);

/* The caller puts its stack pointer into `low`. False, and high 0: that is not on the thread's own
 * stack, but on one of a coroutine or a signal handler. */
bool stack_bounds_of_thread(struct stack_bounds *bounds);

/* Has the thread's own stack `need` bytes below `sp`? False also where `sp` is on another stack, or where
 * that is not known. */
bool stack_bounds_has_room(uintptr_t sp, size_t need);

/* By the frame pointer of a function that of its caller; NULL: there is none, or the chain is lost. */
static inline const uintptr_t *stack_bounds_outer(const struct stack_bounds *bounds, const uintptr_t *frame)
{
    const uintptr_t *const outer = (const uintptr_t *)frame[0];
    const bool is_one = outer > frame && (uintptr_t)outer % sizeof(*outer) == 0 &&
                        (uintptr_t)(outer + 2) <= bounds->high;

    return is_one ? outer : NULL;
}

#endif /* TARE_PROBE_STACK_BOUNDS_H */
