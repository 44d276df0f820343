/* unwatched.h - notes about the processes of the run that are not watched, and why: from outside, and from
 * the bell. */
#ifndef TARE_RUN_UNWATCHED_H
#define TARE_RUN_UNWATCHED_H

#include <stdint.h>

#include "ledger/mailbox.h"
#include "run/watch/patient.h"
#include "run/rundir/rundir.h"

/* What is known so far of processes that are not watched. */
struct unwatched_notes {
    uint32_t noted[UNWATCHED_SLOTS]; /* for each slot of the bell, how many of its processes have a note */
};

/* Called each second. Examines every process once, after its program has run for a second: if the probe
 * does not work in it, its record says why. */
void unwatched_examine(struct unwatched_notes *notes, struct patients *patients, const struct bell *bell,
                       uint64_t now);

/* Call it at the end: writes one note per program and reason, and one for those that did not fit. `sample`:
 * the number of the last sample. */
void unwatched_note(const struct unwatched_notes *notes, const struct bell *bell, struct rundir *dir,
                    uint64_t sample);

#endif /* TARE_RUN_UNWATCHED_H */
