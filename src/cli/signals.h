/* signals.h - the signals tare gets while a program runs, one at a time and with their sender.
 *
 * All are blocked except during signals_wait, so no handler ever interrupts work. A handler only
 * notes the signal and bumps the bell's futex word: one that arrives just before the wait makes
 * the wait return at once.
 */
#ifndef TARE_CLI_SIGNALS_H
#define TARE_CLI_SIGNALS_H

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

/* Remembers what every signal did, blocks all and catches those that can be passed on. */
void signals_take(struct bell *bell);

/* Everything as it was before signals_take: in the child before exec, and at the end. */
void signals_restore(void);

bool signals_next(struct signal_event *out); /* false: none is waiting */

/* Waits until a signal comes, the bell is no longer at `seen`, or the time is over. */
void signals_wait(uint32_t seen, uint64_t timeout_ns);

/* Stops this process as Ctrl-Z would and returns true when it has been continued. False at once
 * where nobody could continue it (an orphaned process group). */
bool signals_stop_here(void);

#endif /* TARE_CLI_SIGNALS_H */
