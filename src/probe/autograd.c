/* autograd.c - see autograd.h. */
#include "probe/autograd.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "probe/export.h"
#include "probe/life.h"
#include "probe/own.h"
#include "probe/python_find.h"
#include "probe/stack.h"
#include "probe/stack_python.h"
#include "probe/thread.h"

#define SEQUENCE "_ZN2at15sequence_number17get_and_incrementEv"
#define EVALUATE                                                                                   \
    "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4Node"      \
    "ERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE"

#define RING 32768  /* nodes whose stacks are kept: the newest */
#define PLACES 2    /* where the number may lie in a node: 16 from torch 2.13 on, 24 before */
#define TRIES 16    /* nodes after which it is decided */
#define ENOUGH 12   /* of which at least these must agree */
#define MAGIC 0x7a7eba5eu

typedef uint64_t sequence_fn(void);
typedef void evaluate_fn(void *engine, void *task, void *node, void *inputs, void *queue);

/* A node that was made. */
struct made {
    uint64_t number;     /* atomic: 1 + it; 0: free, or being written */
    const void *maker;   /* the thread */
    uint64_t stack;
};

/* A node that is being run; on the stack of the thread that runs it. */
struct running {
    uint32_t magic; /* an exception passes our frame without a word: the next look finds out */
    uintptr_t self;
    struct running *outer;
    uint64_t numbers[PLACES];
    uintptr_t frame; /* Python's innermost */
};

static const size_t places[PLACES] = {16, 24};
static struct made *ring;          /* atomic; NULL: not made yet, or no memory */
static uint32_t place;             /* atomic: 1 + index of the right one; 0: not known yet */
static uint32_t tries, hits[PLACES];
static bool off;                   /* atomic: it does not work here */
static const void *only_maker;     /* atomic: the thread that made all nodes */
static bool many_makers;           /* atomic */
static __thread struct running *running;

void autograd_forked(void)
{
    ring = NULL; /* its pages are wiped; a new one is made when it is needed */
    running = NULL;
}

/* ---- finding the originals ---- */

/* The caller's own module first: that takes no lock. */
static uintptr_t find(const char *name, uintptr_t caller)
{
    const uintptr_t here = python_find_from(caller, name);

    return here ? here : python_find_anywhere(name, (uintptr_t)&places);
}

/* Where the loader bound a call to us there is an original behind us: without it the call could not
 * have been bound before we came, either. */
static uintptr_t original(uintptr_t *kept, const char *name, uintptr_t caller)
{
    uintptr_t address = __atomic_load_n(kept, __ATOMIC_ACQUIRE);

    if (!address) {
        address = find(name, caller);
        if (!address)
            __builtin_trap();
        __atomic_store_n(kept, address, __ATOMIC_RELEASE);
    }
    return address;
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

static void note_made(uint64_t number)
{
    struct thread *thread = thread_self;
    struct ledger *ledger = life_ledger_now();
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
static void learn_place(const struct running *node)
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
    const struct running *now = running;
    const uint32_t which = __atomic_load_n(&place, __ATOMIC_ACQUIRE);

    if (!now || !which)
        return 0;
    /* Frames below ours are gone, and what lies there is somebody else's. */
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

/* ---- libtorch's functions ---- */

sequence_fn autograd_sequence __asm__(SEQUENCE);
evaluate_fn autograd_evaluate __asm__(EVALUATE);

EXPORT uint64_t autograd_sequence(void)
{
    static uintptr_t kept;
    const uintptr_t address =
        original(&kept, SEQUENCE, (uintptr_t)__builtin_return_address(0));
    sequence_fn *real;
    uint64_t number;

    memcpy(&real, &address, sizeof(real));
    number = real();
    note_made(number);
    return number;
}

EXPORT void autograd_evaluate(void *engine, void *task, void *node, void *inputs, void *queue)
{
    static uintptr_t kept;
    const uintptr_t address =
        original(&kept, EVALUATE, (uintptr_t)__builtin_return_address(0));
    struct running here = {.magic = MAGIC, .self = (uintptr_t)&here, .outer = running};
    evaluate_fn *real;

    memcpy(&real, &address, sizeof(real));
    for (unsigned i = 0; i < PLACES; i++)
        memcpy(&here.numbers[i], (const char *)node + places[i], sizeof(here.numbers[i]));
    here.frame = stack_python_innermost();
    learn_place(&here);
    __atomic_store_n(&running, &here, __ATOMIC_RELAXED);
    real(engine, task, node, inputs, queue);
    running = here.outer;
    here.magic = 0;
    __asm__ volatile("" : : "m"(here)); /* the cleared word is written, though nobody reads it here */
}
