/* stack.h - who is calling: the stack of an allocation, interned as an id in the ledger. */
#ifndef TARE_PROBE_STACK_H
#define TARE_PROBE_STACK_H

#include <stdint.h>

#include "ledger/writer.h"
#include "probe/python/python_code.h"
#include "probe/unwind/stack_native.h"

/* `frame` is the hook's own frame address; the hooks are built with frame pointers. 0: unknown. *native, if
 * it is not NULL: the native part below frames of a language (native_part.h); 0: there is none. */
uint32_t stack_take(struct ledger *ledger, const void *frame, uint32_t *native);
/* The same for what an adapter reports, called from JavaScript. 0: unknown. */
uint32_t stack_take_js(struct ledger *ledger);
/* JavaScript starts work here that continues after the call has returned. */
void stack_launch(struct ledger *ledger);
/* A stack of these JavaScript functions, innermost first: records of scripts. 0: no room. */
uint32_t stack_of_functions(struct ledger *ledger, const struct native_frame *frames, unsigned count);
/* The Python stack alone; 0: no Python function is running on this thread. */
uint32_t stack_take_python(struct ledger *ledger);

/* The calling thread launches work now that other threads do (handoff.h). `frame` as in stack_take. */
void stack_hand_off(const void *frame);

/* What the rooms above know of a stack. */
struct stack_calls {
    /* The stack that made the graph node that this thread is running; 0: it runs none, or none is known. */
    uint32_t (*forward)(void);
    /* A Python stack was taken on this thread; innermost first, fewer than `max`: the whole. */
    void (*python)(const struct python_frame *frames, unsigned count, unsigned max);
};

void stack_setup(const struct stack_calls *upper); /* once, before the first */

#endif /* TARE_PROBE_STACK_H */
