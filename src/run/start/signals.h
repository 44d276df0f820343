/* signals.h - the signals that tare gets while a program runs, one at a time and with their sender.
 *
 * All are blocked except during signals_wait, so a handler never interrupts work. A handler only records the
 * signal and adds 1 to the bell's futex word, so a signal just before the wait makes the wait return at once.
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
    int code;           /* si_code; SI_KERNEL: from the terminal */
    pid_t sender;       /* if `code` says that a process sent it */
    union sigval value; /* sent with it by sigqueue */
};

/* Call it at tare's start: a reader that stops reading must not end tare. The user's program gets the earlier
 * action of SIGPIPE back. */
void signals_ignore_pipe(void);

/* Saves the action of every signal, blocks all, and catches those that can be passed on. */
void signals_take(struct bell *bell);

/* Restores the state before signals_take: in the child before exec, and at the end. */
void signals_restore(void);

bool signals_next(struct signal_event *out); /* false: none is waiting */

/* Waits until a signal comes, the bell is no longer at `seen`, or the time is up. */
void signals_wait(uint32_t seen, uint64_t timeout_ns);

/* Stops this process as Ctrl-Z does, and returns true after it was continued. Returns false at once if no
 * process could continue it (an orphaned process group). */
bool signals_stop_here(void);

#endif /* TARE_RUN_SIGNALS_H */
