/* bounds.h - the interval of a rate, computed when everything else about a finding is known.
 *
 * The statistics of a rate say how much its samples and counters scatter. They do not cover memory
 * that is not attributed to a line: the headers of blocks, small objects of an interpreter that
 * were counted but not followed, and the tick at either end of the window. The true rate may
 * include it, so the interval must include it.
 */
#ifndef TARE_DOCTOR_BOUNDS_H
#define TARE_DOCTOR_BOUNDS_H

#include "doctor/measure/visit.h"

/* Widens the intervals of all leaks. */
void bounds_settle(struct visit *visit);

#endif /* TARE_DOCTOR_BOUNDS_H */
