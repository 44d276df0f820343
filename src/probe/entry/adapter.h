/* adapter.h - what the adapters' calls share (adapter_abi.h): a tick, a visit, a collection. */
#ifndef TARE_PROBE_ADAPTER_H
#define TARE_PROBE_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

struct ledger;
struct thread;

/* Calls of every adapter; adapter_abi.h says what they are for. */
void adapter_hello(const char *what);
void adapter_tick(uint32_t clock); /* on a thread that holds the interpreter's lock */
void adapter_end(void);
void adapter_note(const char *text);

/* For a call that writes to the ledger: the ledger, and this thread, which is marked busy. The caller clears
 * the mark. NULL: nothing may be written here now. */
struct ledger *adapter_enter(struct thread **thread);

/* Is it time to examine the interpreter? Only for programs whose steps nothing reports. */
bool adapter_is_due(uint64_t now);
void adapter_visit(void); /* examines it; on a thread that holds its lock */

/* This thread's engine is about to collect, and no call of the program is running: a turn of its
 * event loop has ended. What the turn held is garbage. */
void adapter_collects(void);

/* At a safe point inside a script (adapter_js.c): serves the doctor's requests to its engine. */
void adapter_interrupted(void);

#endif /* TARE_PROBE_ADAPTER_H */
