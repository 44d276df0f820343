/* early_watch.h - size classes that plainly grow in a program's first steps.
 *
 * A script of a few hundred fast steps ends before the doctor, in another process, has examined it
 * and sent a request. So the probe itself watches a busy size class whose live blocks rise from the
 * first steps on, as long as that costs little. It decides nothing: it only makes sure that the
 * blocks are on record.
 */
#ifndef TARE_PROBE_EARLY_WATCH_H
#define TARE_PROBE_EARLY_WATCH_H

#include <stdint.h>

#include "probe/core/thread_sums.h"

void early_watch_begin(void);

/* At a step's end: number of steps so far, samples that would take all of their mean length. Classes to
 * watch, one bit each. */
uint64_t early_watch_step(const struct thread_sums *sums, const uint64_t busy[LEDGER_CLASSES],
                    uint64_t steps, uint64_t affordable, uint64_t watched);

#endif /* TARE_PROBE_EARLY_WATCH_H */
