/* group.h - one cause, one finding.
 *
 * Several lines may make the memory that one statement stores. A person changes the statement, not the
 * lines, so they are one finding: one rate, which is the sum, one fix, and the list of the lines.
 */
#ifndef TARE_DOCTOR_GROUP_H
#define TARE_DOCTOR_GROUP_H

#include "doctor/measure/visit.h"

/* Why two findings are one. */
enum cause {
    CAUSE_NONE,
    CAUSE_CALL,       /* one call compiles what both lines make */
    CAUSE_STORE_LINE, /* one statement stores both */
    CAUSE_CONTAINER,  /* one container holds both */
    CAUSE_STORE       /* one store of a framework holds both */
};

/* Joins the leaks of one cause: of the same call that compiles, else of the same store line, else, where a
 * store line is not known, of the same holder. Fills made_at of every finding. */
void group_findings(struct visit *visit);

/* Fills made_at of a finding that was made later, and has one line. */
void group_alone(struct visit *visit, struct finding *finding);

#endif /* TARE_DOCTOR_GROUP_H */
