/* worker_ends.h - what a worker of JavaScript kept until it ended.
 *
 * Its heap goes with it, so that the process does not leak. But a worker that lives on would grow by what
 * this one kept: that is said. Whether it was held or waited for a collection of the worker's own heap is not
 * known: at its end nothing holds it any more.
 */
#ifndef TARE_DOCTOR_WORKER_ENDS_H
#define TARE_DOCTOR_WORKER_ENDS_H

#include "doctor/visit.h"

/* One sentence or more about the worker whose end gave back most; NULL: none kept anything to speak of. */
const char *worker_ends_note(const struct visit *visit);

#endif /* TARE_DOCTOR_WORKER_ENDS_H */
