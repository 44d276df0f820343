/* unwatched.h - notes about what of the run is not watched, and why: from outside, and from the
 * bell.
 */
#ifndef TARE_RUN_UNWATCHED_H
#define TARE_RUN_UNWATCHED_H

#include "run/watch.h"

/* Examines every process once, when its program has run for a second: if its probe does not work
 * there, its record says why. Called each second. */
void unwatched_examine(struct watch *watch, uint64_t now);

/* At the end: one note per program and reason, and for what did not fit. */
void unwatched_note(struct watch *watch);

#endif /* TARE_RUN_UNWATCHED_H */
