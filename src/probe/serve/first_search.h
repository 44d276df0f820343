/* first_search.h - searches for the holders of what stays before the doctor can request it.
 *
 * A function that trains for 100 steps of a millisecond has returned before the doctor has read the
 * ledger once. Its variables, which held what leaked, are then gone. So a program with an
 * interpreter makes its own request: if its memory has risen through its first steps, it searches
 * for the holders of what stayed, as it would for the doctor. This happens at most three times in a
 * run, and never while memory does not rise.
 */
#ifndef TARE_PROBE_FIRST_SEARCH_H
#define TARE_PROBE_FIRST_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* A step of the program or a framework has ended. `count`: ticks of the clock that ticks most. One
 * thread at a time. */
void first_search_step(uint64_t ordinal, uint64_t count, uint64_t live_bytes);

bool first_search_ripe(void); /* it is time to check whether a search is due */

/* Is a search due? Then it fills in the sites (mailbox.h), and is not due again for these steps. */
bool first_search_due(struct ledger *ledger, uint64_t argument[4]);

void first_search_forked(void); /* a new process */

#endif /* TARE_PROBE_FIRST_SEARCH_H */
