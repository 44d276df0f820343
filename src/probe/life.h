/* life.h - the probe's start, forks, end, and its off switch. */
#ifndef TARE_PROBE_LIFE_H
#define TARE_PROBE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/mailbox.h"
#include "ledger/writer.h"
#include "probe/thread.h"

/* Looks around once: environment, allocator, fork handlers. Safe to call again. */
void life_begin(void);

bool life_is_off(void);
bool life_has_ended(void); /* the last round is over, or there was none */

/* The ledger, made now if it is due; NULL: none is to be had. Call with the thread marked busy. */
struct ledger *life_ledger(void);
/* The ledger if there is one already. */
struct ledger *life_ledger_now(void);
struct mailbox *life_mailbox(void);
struct bell *life_bell(void);

/* Sets the flag that is never cleared, and says why in the ledger if there is one. */
void life_off(const char *reason);

void life_lose(enum lost_reason reason, uint64_t count); /* nothing without a ledger */

/* The calling thread's counters were wiped: this is a new process. */
void life_new_process(struct thread *self, bool raw);

/* An orderly end: last sums, the last round if `round`, state ENDED. Once. */
void life_end(bool round);

#endif /* TARE_PROBE_LIFE_H */
