/* autograd.c - see autograd.h. */
#include "probe/frameworks/autograd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "probe/core/own.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/python/stack_python.h"
#include "probe/record/stack.h"

#define RING 32768  /* nodes whose stacks are kept: the newest */
#define PLACES AUTOGRAD_PLACES
#define TRIES 16    /* nodes after which it is decided */
#define ENOUGH 12   /* of which at least these must agree */
#define MAGIC 0x7a7eba5eu

/* A node that was made. */
struct made {
    uint64_t number;     /* atomic: 1 + it; 0: free, or being written */
    const void *maker;   /* the thread */
    uint64_t stack;
};

static const size_t places[PLACES] = {16, 24};
static struct made *ring;          /* atomic; NULL: not made yet, or no memory */
static uint32_t place;             /* atomic: 1 + index of the right one; 0: not known yet */
static uint32_t tries, hits[PLACES];
static bool off;                   /* atomic: it does not work here */
static const void *only_maker;     /* atomic: the thread that made all nodes */
static bool many_makers;           /* atomic */
static __thread struct autograd_node *running;

void autograd_forked(void)
{
    ring = NULL; /* its pages are wiped; a new one is made when it is needed */
    running = NULL;
}

/* ---- nodes that are made ---- */

static struct made *ring_made(void)
{
    struct made *now = __atomic_load_n(&ring, __ATOMIC_ACQUIRE), *none = NULL;

    if (now || __atomic_load_n(&off, __ATOMIC_RELAXED))
        return now;
    now = own_map(RING * sizeof(*now));
    if (!now)
        __atomic_store_n(&off, true, __ATOMIC_RELAXED);
    else if (!__atomic_compare_exchange_n(&ring, &none, now, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_ACQUIRE))
        now = none; /* another thread was first; ours is lost, once */
    return now;
}

static void count_maker(const void *thread)
{
    const void *seen = NULL;

    if (__atomic_load_n(&only_maker, __ATOMIC_RELAXED) == thread)
        return;
    if (!__atomic_compare_exchange_n(&only_maker, &seen, thread, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        seen != thread)
        __atomic_store_n(&many_makers, true, __ATOMIC_RELAXED);
}

static void keep(uint64_t number, struct thread *thread, uint32_t stack)
{
    struct made *slots = ring_made(), *slot;

    if (!slots)
        return;
    slot = &slots[number % RING];
    __atomic_store_n(&slot->number, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->maker, thread, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->stack, stack, __ATOMIC_RELEASE);
    __atomic_store_n(&slot->number, number + 1, __ATOMIC_RELEASE);
    count_maker(thread);
}

void autograd_made(uint64_t number)
{
    struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();
    const int saved = errno;
    uint32_t stack;

    if (!thread || !ledger || thread->busy || thread->alive != THREAD_ALIVE ||
        __atomic_load_n(&off, __ATOMIC_RELAXED))
        return;
    thread->busy = 1;
    stack = stack_take_python(ledger);
    if (stack)
        keep(number, thread, stack);
    thread->busy = 0;
    errno = saved;
}

/* The stack by a number, if it is the number of a node that this thread has made, or the only thread
 * that makes any; numbers are drawn by each thread for itself. */
static uint32_t stack_by(uint64_t number)
{
    const struct made *slots = __atomic_load_n(&ring, __ATOMIC_ACQUIRE);
    const struct made *slot = slots ? &slots[number % RING] : NULL;
    const void *maker;
    uint64_t stack;

    if (!slot || __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != number + 1)
        return 0;
    maker = __atomic_load_n(&slot->maker, __ATOMIC_ACQUIRE);
    stack = __atomic_load_n(&slot->stack, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot->number, __ATOMIC_ACQUIRE) != number + 1 ||
        (maker != thread_self && __atomic_load_n(&many_makers, __ATOMIC_RELAXED)))
        return 0;
    return (uint32_t)stack;
}

/* ---- nodes that are run ---- */

static void decide(void)
{
    for (uint32_t i = 0; i < PLACES; i++)
        if (hits[i] >= ENOUGH) {
            __atomic_store_n(&place, i + 1, __ATOMIC_RELEASE);
            return;
        }
    __atomic_store_n(&off, true, __ATOMIC_RELAXED);
}

/* Nodes without a number of their own have the largest. Threads that learn at once disturb the count
 * a little, not the answer. */
static void learn_place(const struct autograd_node *node)
{
    if (__atomic_load_n(&place, __ATOMIC_ACQUIRE) || __atomic_load_n(&off, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < PLACES; i++)
        if (node->numbers[i] == UINT64_MAX)
            return;
    for (unsigned i = 0; i < PLACES; i++)
        hits[i] += stack_by(node->numbers[i]) != 0;
    if (++tries == TRIES)
        decide();
}

uint32_t autograd_stack(void)
{
    const struct autograd_node *now = running;
    const uint32_t which = __atomic_load_n(&place, __ATOMIC_ACQUIRE);

    if (!now || !which)
        return 0;
    /* Frames below ours are gone, and what lies there belongs to other code. */
    if ((uintptr_t)now < (uintptr_t)__builtin_frame_address(0) || now->magic != MAGIC ||
        now->self != (uintptr_t)now) {
        running = NULL;
        return 0;
    }
    /* Python code that the node calls has lines of its own. */
    if (stack_python_innermost() != now->frame)
        return 0;
    return stack_by(now->numbers[which - 1]);
}

void autograd_enter(struct autograd_node *here, const void *node)
{
    *here = (struct autograd_node){.magic = MAGIC, .self = (uintptr_t)here, .outer = running};
    for (unsigned i = 0; i < PLACES; i++)
        memcpy(&here->numbers[i], (const char *)node + places[i], sizeof(here->numbers[i]));
    here->frame = stack_python_innermost();
    learn_place(here);
    __atomic_store_n(&running, here, __ATOMIC_RELAXED);
}

void autograd_leave(struct autograd_node *here)
{
    running = here->outer;
    here->magic = 0;
    __asm__ volatile("" : : "m"(*here)); /* the cleared word is written, although not read here */
}
