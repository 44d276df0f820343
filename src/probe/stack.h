/* stack.h - who is calling: the stack of an allocation, interned as an id in the ledger. */
#ifndef TARE_PROBE_STACK_H
#define TARE_PROBE_STACK_H

#include <stdint.h>

#include "ledger/writer.h"

/* `frame` is the hook's own frame address; the hooks are built with frame pointers. 0: unknown. */
uint32_t stack_take(struct ledger *ledger, const void *frame);
void stack_setup(void);

#endif /* TARE_PROBE_STACK_H */
