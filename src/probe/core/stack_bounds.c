/* stack_bounds.c - see the header.
 *
 * The main stack: the kernel keeps at least 128 MB below its top free of other mappings, and what it
 * has grown to is one piece. So an address within MAIN_MAX of the top is on it, and all between is
 * readable.
 *
 * Thread stacks: how far down they go is known to pthread_getattr_np alone, which allocates. So pages
 * are tried, once each, as the thread is seen to use them; what was tried stays readable, because it
 * lies between a stack pointer and the control block. The first page that cannot be read is the
 * guard: an address below it is on another stack.
 */
#include "probe/core/stack_bounds.h"

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "probe/core/self_memory.h"
#include "probe/core/symbol.h"

#define PAGE 4096ul
#define MAIN_MAX (64ul << 20)
#define THREAD_MAX (1ul << 30)
#define TRIES_MAX 128 /* pages tried in one call; what is left is tried in the next */

static uintptr_t main_self; /* written once, at the start */
static uintptr_t main_high;
static uintptr_t main_most; /* bytes that the main stack may have */

/* Of this thread. A signal handler may come in between: both only ever get more true. */
static __thread uintptr_t tried_low;  /* tried_low..control block is readable; 0: none tried yet */
static __thread uintptr_t guard_high; /* end of the page that was not; 0: none met yet */

static uintptr_t control_block(void)
{
    return (uintptr_t)pthread_self();
}

void stack_bounds_init(void)
{
    void *const *const end = symbol_look(RTLD_DEFAULT, "__libc_stack_end");
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};

    (void)getrlimit(RLIMIT_STACK, &limit);
    main_most = limit.rlim_cur < MAIN_MAX ? limit.rlim_cur : MAIN_MAX;
    main_self = control_block();
    main_high = end ? (uintptr_t)*end & ~7ul : 0;
}

static bool try_pages(uintptr_t sp, uintptr_t high)
{
    uintptr_t low = tried_low ? tried_low : high;

    if (sp < guard_high)
        return false;
    for (unsigned tries = 0; low > sp; tries++) {
        const uintptr_t page = (low - 1) & ~(PAGE - 1);

        if (tries == TRIES_MAX)
            return false;
        if (!self_readable(page)) {
            guard_high = page + PAGE;
            return false;
        }
        tried_low = low = page;
    }
    return true;
}

bool stack_bounds_of_thread(struct stack_bounds *bounds)
{
    const uintptr_t self = control_block();
    const uintptr_t sp = bounds->low;
    const bool main_thread = self == main_self;
    const uintptr_t high = main_thread ? main_high : self & ~7ul;
    const bool near = sp < high && high - sp <= (main_thread ? MAIN_MAX : THREAD_MAX);

    bounds->high = near && (main_thread || try_pages(sp, high)) ? high : 0;
    return bounds->high != 0;
}

bool stack_bounds_has_room(uintptr_t sp, size_t need)
{
    struct stack_bounds bounds = {.low = sp - need};

    return stack_bounds_of_thread(&bounds) && bounds.high - bounds.low <=
           (control_block() == main_self ? main_most : THREAD_MAX);
}
