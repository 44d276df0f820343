/* explain.h - the table of explainers: what is known about growth, apart from its measurement.
 *
 * Detectors measure what grows and how fast. An explainer may then change a finding's kind, holder and
 * advice, or make it a note. The first one that applies is the explanation.
 */
#ifndef TARE_DOCTOR_EXPLAIN_H
#define TARE_DOCTOR_EXPLAIN_H

#include "doctor/measure/visit.h"

enum explain_group { EXPLAIN_PATH, EXPLAIN_SOURCE };

/* explain_NAME: true if it explains the finding, which it has changed then. */
#define EXPLAIN(group, name, says) bool explain_##name(struct finding *finding, struct visit *visit);
#include "doctor/judge/explain.def"
#undef EXPLAIN

/* Runs the explainers of a group on all findings. */
void explain_all(struct visit *visit, enum explain_group group);

#endif /* TARE_DOCTOR_EXPLAIN_H */
