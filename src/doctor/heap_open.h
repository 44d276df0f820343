/* heap_open.h - a heap of JavaScript that grew, in a script that never returned to its event loop.
 *
 * There it is measured and collected at few moments only (probe/midway.h), too few for the rule of
 * script_heap. What grew all the while is not called clean for that.
 */
#ifndef TARE_DOCTOR_HEAP_OPEN_H
#define TARE_DOCTOR_HEAP_OPEN_H

#include "doctor/visit.h"

/* Adds a finding that is undecided, if time is the clock. */
void heap_open(struct visit *visit);

#endif /* TARE_DOCTOR_HEAP_OPEN_H */
