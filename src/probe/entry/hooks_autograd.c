/* hooks_autograd.c - two functions of libtorch, by their mangled names: see frameworks/autograd.h. */
#include <stdint.h>
#include <string.h>

#include "probe/core/export.h"
#include "probe/frameworks/autograd.h"
#include "probe/python/python_find.h"

#define SEQUENCE "_ZN2at15sequence_number17get_and_incrementEv"
#define EVALUATE                                                                                   \
    "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4Node"      \
    "ERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE"

typedef uint64_t sequence_fn(void);
typedef void evaluate_fn(void *engine, void *task, void *node, void *inputs, void *queue);

static uintptr_t original(uintptr_t *kept, const char *name, uintptr_t caller);

/* The caller's own module first: that takes no lock. */
static uintptr_t find(const char *name, uintptr_t caller)
{
    const uintptr_t here = python_find_from(caller, name);

    return here ? here : python_find_anywhere(name, (uintptr_t)original);
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
    autograd_made(number);
    return number;
}

EXPORT void autograd_evaluate(void *engine, void *task, void *node, void *inputs, void *queue)
{
    static uintptr_t kept;
    const uintptr_t address =
        original(&kept, EVALUATE, (uintptr_t)__builtin_return_address(0));
    struct autograd_node here;
    evaluate_fn *real;

    memcpy(&real, &address, sizeof(real));
    autograd_enter(&here, node);
    real(engine, task, node, inputs, queue);
    autograd_leave(&here);
}
