/* queue.h - a queue that is filled faster than it is emptied.
 *
 * All its blocks are released, so no cohort survives. But they wait longer and longer, and their
 * number rises steadily, by far more than chance moves the length of a balanced queue.
 */
#ifndef TARE_DOCTOR_QUEUE_H
#define TARE_DOCTOR_QUEUE_H

#include "doctor/measure/cohort.h"

struct backlog {
    struct cohort cohort; /* its site, window and rate, as for a growing cohort */
    uint64_t waited;      /* mean age at death in the first third of the window, in ticks */
    uint64_t waits;       /* mean age at death in the last third of the window, in ticks */
};

/* Fills `out` and returns true if this suspect is a queue. */
bool backlog_find(struct backlog *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives);

#endif /* TARE_DOCTOR_QUEUE_H */
