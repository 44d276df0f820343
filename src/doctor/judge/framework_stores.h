/* framework_stores.h - growth that a framework's own store explains: compiled functions,
 * registries.
 *
 * Detectors measure what grows and how fast. This file names the holder if the adapters have
 * counted what the frameworks keep. A store that grew like the memory, all through the run and up
 * to its end, is an unbounded cache.
 */
#ifndef TARE_DOCTOR_FRAMEWORK_STORES_H
#define TARE_DOCTOR_FRAMEWORK_STORES_H

#include "doctor/measure/visit.h"

/* Examines all findings so far. */
void framework_stores_explain(struct visit *visit);

#endif /* TARE_DOCTOR_FRAMEWORK_STORES_H */
