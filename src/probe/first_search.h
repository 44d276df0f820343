/* first_search.h - who holds what stays, asked before anybody outside could ask.
 *
 * A function that trains for 100 steps of a millisecond has returned before the doctor has looked a
 * single time; its variables, which held what leaked, are gone then. So a program with an interpreter
 * asks itself: if its memory has risen through its first steps, the holders of what stayed are
 * searched for, as they would be for the doctor. It is done at most three times in a run, and never while
 * memory does not rise.
 */
#ifndef TARE_PROBE_FIRST_SEARCH_H
#define TARE_PROBE_FIRST_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* A step of the program or a framework is over: so many of the clock that ticks most. One thread at a
 * time. */
void first_search_step(uint64_t ordinal, uint64_t count, uint64_t live_bytes);

bool first_search_ripe(void); /* it is time to ask whether one is due */

/* A search is due: fills in its sites (mailbox.h), true, and does not ask again for these steps. */
bool first_search_due(struct ledger *ledger, uint64_t argument[4]);

void first_search_reset(void); /* a new process */

#endif /* TARE_PROBE_FIRST_SEARCH_H */
