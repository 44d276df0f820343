/* explain.h - the table of explainers: they use what is known about a program's libraries and containers.
 *
 * Detectors measure what grows and how fast. An explainer may then change a finding's kind, holder and
 * advice, or make it a note. The first explainer that applies is the explanation.
 */
#ifndef TARE_DOCTOR_EXPLAIN_H
#define TARE_DOCTOR_EXPLAIN_H

#include "doctor/measure/visit.h"

/* When an explainer runs: with the holder's path alone, or after the store lines are known. */
enum explain_group { EXPLAIN_PATH, EXPLAIN_SOURCE };

/* explain_NAME returns true if it explains the finding. Then it has changed the finding. */
#define EXPLAIN(group, name, says) bool explain_##name(struct finding *finding, struct visit *visit);
#include "doctor/judge/explain.def"
#undef EXPLAIN

/* Runs the explainers of a group on all findings. */
void explain_all(struct visit *visit, enum explain_group group);

#endif /* TARE_DOCTOR_EXPLAIN_H */
