/* thread_sums.h - the counters of all threads, added up.
 *
 * All frees first, then all allocations: never below the truth, and exact when quiet. It takes about
 * a microsecond for each thread. Up to THREADS_ROOMY of them that is cheap;
 * with more, sums are put off until they take less than one part in SUMS_SHARE of the time, and the
 * ledger counts that (LOST_sums_put_off).
 */
#ifndef TARE_PROBE_THREAD_SUMS_H
#define TARE_PROBE_THREAD_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/layout.h"

#define SUMS_SHARE 100

struct thread_sums {
    struct class_total classes[LEDGER_CLASSES];
    uint64_t live_bytes, live_blocks, born_bytes, born_blocks;
    uint64_t slack; /* freed while we summed: live_bytes is too high by at most this */
};

void thread_sums_setup(void); /* once, at the probe's start */

/* Adds them up now, whatever it takes. */
void thread_sum(struct thread_sums *out);

/* May the caller add them up now (raw_now)? False: it would take too much of the time, or another thread
 * is at it. */
bool thread_sum_due(uint64_t now);

/* thread_sum when it is due, else the latest there is. */
void thread_sum_lately(struct thread_sums *out);
uint64_t thread_live_lately(void); /* the same of live_bytes alone, with little of the caller's stack */

void thread_before_fork(void); /* remembers the sums that a child inherits */
const struct thread_sums *thread_sums_at_fork(void);
void thread_sums_forked(void); /* a new process */

#endif /* TARE_PROBE_THREAD_SUMS_H */
