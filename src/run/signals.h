/* signals.h - the signals tare gets while a program runs, one at a time and with their sender.
 *
 * All are blocked except during signals_wait, so no handler ever interrupts work. A handler only
 * notes the signal and adds 1 to the bell's futex word: one that arrives just before the wait makes
 * the wait return at once.
 */
#ifndef TARE_RUN_SIGNALS_H
#define TARE_RUN_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ledger/mailbox.h"

struct signal_event {
    int number;
    int code;     /* si_code: SI_KERNEL for the terminal's */
    pid_t sender; /* where code is that of a process */
    union sigval value;
};

/* At tare's start: a reader that goes away must not end it. The user's program gets back what
 * SIGPIPE did. */
void signals_ignore_pipe(void);

/* Remembers what every signal did, blocks all and catches those that can be passed on. */
void signals_take(struct bell *bell);

/* Everything as it was before signals_take: in the child before exec, and at the end. */
void signals_restore(void);

bool signals_next(struct signal_event *out); /* false: none is waiting */

/* Waits until a signal comes, the bell is no longer at `seen`, or the time is up. */
void signals_wait(uint32_t seen, uint64_t timeout_ns);

/* Stops this process as Ctrl-Z would and returns true when it has been continued. False at once
 * if no process could continue it (an orphaned process group). */
bool signals_stop_here(void);

#endif /* TARE_RUN_SIGNALS_H */
