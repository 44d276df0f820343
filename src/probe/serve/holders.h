/* holders.h - find what holds the blocks of a site, without stopping the program for it.
 *
 * The search runs in a copy of the process (copy.h), which allocates nothing from the heap and takes no
 * lock. The program pauses while it is copied, and again for each page that it writes first while both
 * have it. The answer lies in the ledger, which both share.
 */
#ifndef TARE_PROBE_HOLDERS_H
#define TARE_PROBE_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/unsearched.h"
#include "ledger/writer.h"
#include "probe/copy/cost.h"

/* Begins a search for the sites of a request (mailbox.h), and takes the account of resident
 * memory; no site at all: the account alone. `cost`: as predicted. `headroom`: see copy.h. False: it
 * cannot be done here. */
bool holders_begin(struct ledger *ledger, const uint64_t argument[4], const struct cost *cost,
                   const uint64_t *headroom, uint64_t *pause_ns);

/* main has returned to the frame at this address: what main held lies below it, and still
 * counts. From now on the probe works on a stack of its own, which does not count. */
void holders_main_returned(uintptr_t frame);

enum holders_progress { HOLDERS_IDLE, HOLDERS_BUSY, HOLDERS_FINISHED, HOLDERS_FAILED };
/* Checks, without waiting, whether the copy has ended. `pause_ns`: the pause that the copy has
 * cost the program, reported once. */
enum holders_progress holders_poll(struct ledger *ledger, uint64_t *pause_ns);

/* Kills and collects a copy that is at work; its answers get this reason (unsearched.h).
 * Async-signal-safe; does nothing without a copy. */
void holders_abandon(uint32_t reason);

/* The program has waited long enough: a copy at work is killed, and the answers that it has are taken. */
void holders_settle(struct ledger *ledger);

/* Why another search would fail as well, a number of unsearched.def; 0: there is no such reason. */
uint32_t holders_hopeless(void);

bool holders_answered(void); /* no copy is at work on an answer that the program waits for */

void holders_forked(void); /* a new process: the copy is another's child */

#endif /* TARE_PROBE_HOLDERS_H */
