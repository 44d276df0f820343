/* backlog.h - a queue that is filled faster than it is emptied.
 *
 * Its blocks all die, so that no cohort survives; but they wait ever longer, and the counter climbs
 * like a line, by far more than chance would move a queue in balance.
 */
#ifndef TARE_DOCTOR_BACKLOG_H
#define TARE_DOCTOR_BACKLOG_H

#include "doctor/cohort.h"

struct backlog {
    struct cohort cohort;   /* site, window and rate, as of a cohort that grows */
    uint64_t waited, waits; /* mean age at death, in ticks: in the first and the last third */
};

/* True when this suspect is one. */
bool backlog_find(struct backlog *out, const struct model *model, const struct series *series,
                  const struct suspect *suspect, const struct lives *lives);

#endif /* TARE_DOCTOR_BACKLOG_H */
