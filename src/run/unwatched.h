/* unwatched.h - notes about the processes of the run that are not watched, and why: from outside, and from
 * the bell. */
#ifndef TARE_RUN_UNWATCHED_H
#define TARE_RUN_UNWATCHED_H

#include "run/watch.h"

/* Called each second. Examines every process once, after its program has run for a second: if the probe
 * does not work in it, its record says why. */
void unwatched_examine(struct watch *watch, uint64_t now);

/* Call it at the end: writes one note per program and reason, and one for those that did not fit. */
void unwatched_note(struct watch *watch);

#endif /* TARE_RUN_UNWATCHED_H */
