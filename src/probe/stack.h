/* stack.h - who is calling: the stack of an allocation, interned as an id in the ledger. */
#ifndef TARE_PROBE_STACK_H
#define TARE_PROBE_STACK_H

#include <stdint.h>

#include "ledger/writer.h"
#include "probe/adapter.h"

/* `frame` is the hook's own frame address; the hooks are built with frame pointers. 0: unknown. */
uint32_t stack_take(struct ledger *ledger, const void *frame);
/* The same for what an adapter tells of, called from JavaScript. 0: unknown. */
uint32_t stack_take_js(struct ledger *ledger);
/* JavaScript begins something here that goes on after it has returned. */
void stack_launch(struct ledger *ledger);
/* A stack of these functions of JavaScript, innermost first, each at its beginning. 0: no room. */
uint32_t stack_of_functions(struct ledger *ledger, const struct tare_frame *frames, uint32_t count);
/* A stack of one frame, at the beginning of this function of JavaScript. 0: no room. */
uint32_t stack_of_function(struct ledger *ledger, const char *file, const char *function,
                           uint32_t line);
/* Of Python alone; 0: none is running on this thread. */
uint32_t stack_take_python(struct ledger *ledger);

void stack_setup(void);

#endif /* TARE_PROBE_STACK_H */
