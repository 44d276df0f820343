/* rate.h - how densely to sample now, and which size classes are watched block by block. */
#ifndef TARE_PROBE_RATE_H
#define TARE_PROBE_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/core/thread_sums.h"

uint64_t rate_now(void); /* mean bytes between samples */

/* Samples taken by all threads, in this process. */
void rate_note_sample(void);
uint64_t rate_samples(void);
void rate_forked(void); /* a new process */

/* `fixed`: the user asked for this rate; it is never adapted. 0 bytes: the default. */
void rate_begin(uint64_t bytes, bool fixed);

/* At a step's end: sums so far, samples taken in it and its length. Adapts rate and watch.
 * `real`: the program's own clock ticked, not only time passed. */
void rate_step(const struct thread_sums *sums, uint64_t ordinal, uint64_t samples, uint64_t ns,
               bool real);

/* Takes the place of rate_step while the program is being set up: no size class is watched,
 * whatever was requested, and steps begin later. */
void rate_wait(uint64_t ordinal);

/* A natural sample was taken at this time: too many in a row make it coarser at once. */
void rate_sampled(uint64_t now);

uint64_t rate_set(uint64_t bytes);   /* asked for by the doctor; the old one */
uint64_t rate_focus(uint64_t classes, uint64_t ordinal); /* watch these too; what was focused before */
/* A sample is due. True: the caller times this one and passes the time to one of the next two. */
bool rate_times_sample(void);
void rate_sample_cost(uint64_t took); /* by chance; nanoseconds */
/* How long a sample of a watched class took. When watching has taken its share of the time,
 * classes are let go for a while. Returns the time of all samples that this one stands for. */
uint64_t rate_watch_cost(uint64_t took, unsigned class_index, uint64_t ordinal);

/* The ledger's tables are filling up: from now on nothing is watched. What survives of that many
 * blocks is known by then, and the rest is for what is met by chance. */
void rate_rest(uint64_t ordinal);

uint64_t rate_watched_since(unsigned class_index); /* ordinal, 0: not watched */

#endif /* TARE_PROBE_RATE_H */
