/* step.h - clocks, step records, and the sums that go with them. */
#ifndef TARE_PROBE_STEP_H
#define TARE_PROBE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/core/thread_sums.h"

uint64_t step_count(enum clock_id clock); /* ticks so far */

/* What a step does in the rooms above this one. */
struct step_calls {
    void (*fill_gauges)(uint64_t gauges[LEDGER_GAUGES]);
    /* Totals that go with those of a step; `gauges` are the step's. */
    void (*write_totals)(struct ledger *ledger, const uint64_t gauges[LEDGER_GAUGES]);
    /* A step of the program or a framework is over: its number, ticks of the fastest clock, live bytes. */
    void (*stepped)(uint64_t ordinal, uint64_t ticks, uint64_t live_bytes);
    void (*look)(struct ledger *ledger, uint64_t now); /* five times a second, at most */
    void (*serve)(struct ledger *ledger);              /* the doctor's requests; cheap when there is none */
    uint64_t (*pause)(void);                           /* nanoseconds that requests have taken so far */
};
void step_setup(const struct step_calls *upper); /* once, before the first tick */

/* A clock has ticked: the open step is over. Any thread. */
void step_tick(enum clock_id clock);

void step_over(void); /* the program has run its last line: no slice is counted any more */

/* Does the program or a framework report its steps? Otherwise the probe detects the turns of a
 * loop. */
bool step_has_clock(uint64_t now);

/* On the cold path: turns of a loop, or a slice of time, when no other clock ticks; and a look at the
 * mailbox. */
void step_slice(void);

void step_look_for_peak(struct ledger *ledger); /* also inside a step */

/* Sums now and writes totals and a last record. */
void step_finish(struct ledger *ledger);

uint64_t step_resident(void); /* resident bytes, read from the system now; 0: not available */
void step_forked(void);        /* a new process */
/* The sums of the latest record, for a process that was cloned without a fork handler. */
const struct thread_sums *step_last_sums(void);

#endif /* TARE_PROBE_STEP_H */
