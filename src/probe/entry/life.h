/* life.h - the probe's start, forks, end, and its off switch. */
#ifndef TARE_PROBE_LIFE_H
#define TARE_PROBE_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/mailbox.h"
#include "ledger/writer.h"

/* Looks around once: environment, allocator, fork handlers. Safe to call again. */
void life_begin(void);

/* Which process does this memory belong to? The answer comes from plain variables and the
 * process's number: also a child that has our memory, but no thread-local memory of its own, may
 * ask. */
enum life_process {
    LIFE_OURS,    /* the process that the probe works in */
    LIFE_COPY,    /* a new one with a copy of its memory, which the probe has not noticed yet */
    LIFE_BORROWED /* a child that uses our memory until it leaves or executes another program */
};
enum life_process life_process(void);

/* Is the probe at work in this process, and is the end of it still to come? Asks as life_process does. */
bool life_may_end(void);

/* Sets the flag that is never cleared, and says why in the ledger if there is one. */
void life_off(const char *reason);
/* The same because the program is about to limit its own system calls: from then on not one is ours.
 * `filter`: it sets a filter now, which the programs that it starts will have, too. Without, it has asked for
 * no new privileges, as wrappers do that never set one. */
void life_confine(bool filter);
bool life_is_filtered(void); /* it has one, or got one when it was started */

/* An orderly end: last sums, the last round if `round`, state ENDED. Once; nothing unless life_may_end. */
void life_end(bool round);

#endif /* TARE_PROBE_LIFE_H */
