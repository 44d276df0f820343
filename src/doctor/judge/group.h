/* group.h - one cause, one finding.
 *
 * One statement may store the memory that several lines allocate. A person changes the statement, not the
 * lines. So they are one finding with one rate (the sum), one fix, and the list of the lines.
 */
#ifndef TARE_DOCTOR_GROUP_H
#define TARE_DOCTOR_GROUP_H

#include "doctor/measure/visit.h"

/* Why two findings are one. */
enum cause {
    CAUSE_NONE,
    CAUSE_CALL,       /* one call compiles the functions of both */
    CAUSE_STORE_LINE, /* one statement stores both */
    CAUSE_CONTAINER,  /* one container holds both */
    CAUSE_STORE,      /* one store inside a framework holds both */
    CAUSE_RECORDS     /* one line makes both: memory of a device, and the host's records of it */
};

/* Joins leaks of one cause: the same compiling call, the same store line, or, if a store line is not
 * known, the same holder. Records that the host keeps of a leak on a device are part of it. Fills made_at of
 * every finding. */
void group_findings(struct visit *visit);

/* Fills made_at of a finding that was detected after group_findings(): it has one line. */
void group_alone(struct visit *visit, struct finding *finding);

#endif /* TARE_DOCTOR_GROUP_H */
