/* queue.h - a queue that is filled faster than it is emptied.
 *
 * Its blocks all die, so no cohort survives. But they wait longer and longer, and the counter rises
 * along a line, by far more than chance would move a balanced queue.
 */
#ifndef TARE_DOCTOR_QUEUE_H
#define TARE_DOCTOR_QUEUE_H

#include "doctor/measure/cohort.h"

struct backlog {
    struct cohort cohort;   /* its site, window and rate, as for a growing cohort */
    uint64_t waited, waits; /* mean age at death, in ticks, in the first and in the last third */
};

/* True if this suspect is a queue. */
bool backlog_find(struct backlog *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives);

#endif /* TARE_DOCTOR_QUEUE_H */
