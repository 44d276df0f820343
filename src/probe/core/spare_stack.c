/* spare_stack.c - see spare_stack.h.
 *
 * All stacks are one mapping, made when the first is needed. A fork copies it: a child that is made
 * while another thread uses a stack finds that one taken for ever, which costs it one of STACKS.
 */
#include "probe/core/spare_stack.h"

#include <stddef.h>

#include "probe/core/raw.h"
#include "probe/core/stack_bounds.h"
#include "probe/core/switch_x86.h"

#define STACKS 8u
#define STACK_BYTES ((size_t)128 * 1024)
#define NEED ((size_t)24 * 1024)

static char *area;            /* atomic: all stacks; NULL: not mapped yet */
static bool in_use[STACKS];   /* atomic: one user each */
static uintptr_t users[STACKS]; /* a word on the stack that its user has left, while it is in use */

static char *mapped(void)
{
    char *now = __atomic_load_n(&area, __ATOMIC_ACQUIRE), *made;

    if (now)
        return now;
    made = raw_map(STACKS * STACK_BYTES);
    if (made && !__atomic_compare_exchange_n(&area, &now, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
        (void)syscall(SYS_munmap, made, STACKS * STACK_BYTES);
        return now; /* another thread was faster */
    }
    return made;
}

void spare_stack_range(uintptr_t *start, uintptr_t *end)
{
    *start = (uintptr_t)__atomic_load_n(&area, __ATOMIC_ACQUIRE);
    *end = *start ? *start + STACKS * STACK_BYTES : 0;
}

uintptr_t spare_stack_user(uintptr_t sp)
{
    const uintptr_t start = (uintptr_t)__atomic_load_n(&area, __ATOMIC_ACQUIRE);

    return start && sp - start < STACKS * STACK_BYTES ? users[(sp - start) / STACK_BYTES] : 0;
}

static bool is_spare(uintptr_t sp)
{
    uintptr_t start, end;

    spare_stack_range(&start, &end);
    return sp - start < end - start;
}

bool spare_stack_call_away(spare_work *work, void *context)
{
    char *const all = mapped();
    volatile uintptr_t word = 0;

    for (unsigned i = 0; all && i < STACKS; i++) {
        if (__atomic_test_and_set(&in_use[i], __ATOMIC_ACQUIRE))
            continue;
        users[i] = (uintptr_t)&word;
        switch_and_call(all + (i + 1) * STACK_BYTES, work, context);
        __atomic_clear(&in_use[i], __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

bool spare_stack_call(spare_work *work, void *context)
{
    const uintptr_t sp = (uintptr_t)__builtin_frame_address(0);

    if (!is_spare(sp) && !stack_bounds_has_room(sp, NEED))
        return spare_stack_call_away(work, context);
    work(context);
    return true;
}
