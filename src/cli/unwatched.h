/* unwatched.h - notes about what of the run is not watched, and why: from outside, and from the bell.
 */
#ifndef TARE_CLI_UNWATCHED_H
#define TARE_CLI_UNWATCHED_H

#include "cli/watch.h"

/* Looks once at every process whose program has run for a second: if its probe does not work there, its
 * record says why. Called each second. */
void unwatched_examine(struct watch *watch, uint64_t now);

/* At the end: one note for each program and reason, and for what was not kept. */
void unwatched_note(struct watch *watch);

#endif /* TARE_CLI_UNWATCHED_H */
