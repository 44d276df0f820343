/* step.h - clocks, step records, and the sums that go with them. */
#ifndef TARE_PROBE_STEP_H
#define TARE_PROBE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/thread.h"
#include "probe/thread_sums.h"

uint64_t step_count(enum clock_id clock); /* ticks so far */
uint64_t step_ordinal(void); /* number of the interval that is open now, from 1 */

/* A clock has ticked: what was open is over. Any thread. */
void step_tick(enum clock_id clock);

void step_over(void); /* the program has run its last line: no slice is counted any more */

/* Does the program or a framework tell of its steps? Else a loop's turns are looked for. */
bool step_has_clock(uint64_t now);

/* On the cold path: turns of a loop, or a slice of time, when no other clock ticks; and a look at the
 * mailbox. */
void step_slice(void);

void step_look_for_peak(struct ledger *ledger); /* also inside a step */

/* Sums now and writes totals and a last record. */
void step_finish(struct ledger *ledger);

uint64_t step_resident(void); /* resident bytes, read from the system now; 0: not to be had */
void step_reset(void);        /* a new process */
/* The sums of the latest record, for a process that was cloned behind our back. */
const struct thread_sums *step_last_sums(void);

#endif /* TARE_PROBE_STEP_H */
