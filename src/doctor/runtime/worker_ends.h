/* worker_ends.h - memory that a JavaScript worker kept until it ended.
 *
 * The worker's heap is released with it, so the process does not leak. But a long-lived worker
 * would keep growing, and a note says so. It is not known whether the memory was held or was
 * garbage of the worker's own heap, because nothing holds it at the worker's end.
 */
#ifndef TARE_DOCTOR_WORKER_ENDS_H
#define TARE_DOCTOR_WORKER_ENDS_H

#include "doctor/measure/visit.h"

/* A note about the worker whose end released most; FACT_none: no worker kept enough to report. */
struct fact worker_ends_note(const struct visit *visit);

#endif /* TARE_DOCTOR_WORKER_ENDS_H */
