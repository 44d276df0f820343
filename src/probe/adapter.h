/* adapter.h - what the probe offers to the adapters of languages and frameworks.
 *
 * An adapter runs inside the program, finds `tare_adapter_v1` by name, says hello once and then
 * tells of the steps that it sees. Scopes and the user's own steps go through tare_marks_v1.
 */
#ifndef TARE_PROBE_ADAPTER_H
#define TARE_PROBE_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* Frozen: anything new is a new symbol, v2. Any thread; errno is kept; nothing ever fails. */
struct tare_adapter {
    void (*tick)(uint32_t clock);     /* a number of ledger/clocks.def; others are ignored */
    void (*hello)(const char *what);  /* the probe copies it, as a note; the first one counts */
    void (*loading)(void);            /* a module is being loaded: this is set-up, not work */
    void (*end)(void); /* the interpreter is about to take itself down */
};

/* Were modules being loaded within the last second? */
bool adapter_loading(uint64_t now);

/* There is a ledger now, made by this process: it is told who is here. */
void adapter_introduce(struct ledger *ledger);

/* An interpreter whose adapter never came: its steps are not seen, and the ledger says so, once.
 * Before `grace` has passed since the ledger began it may still come. Nanoseconds. */
void adapter_missed(struct ledger *ledger, uint64_t now, uint64_t grace);

/* Has the interpreter collect garbage. False: none is here, or this thread may not ask it now. */
bool adapter_collect(void);

void adapter_reset(void); /* a new process; what was loaded before the fork is still there */

#endif /* TARE_PROBE_ADAPTER_H */
