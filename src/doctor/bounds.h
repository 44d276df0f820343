/* bounds.h - the interval of a rate, settled when everything else about a finding is known.
 *
 * The statistics of a rate say how much its samples and counters scatter. They do not know what nobody
 * attributed to a line: the headers of blocks, small objects of an interpreter that were counted but not
 * followed, and the tick at either end of the window. The truth may include them, so the interval must.
 */
#ifndef TARE_DOCTOR_BOUNDS_H
#define TARE_DOCTOR_BOUNDS_H

#include "doctor/visit.h"

/* Widens the intervals of all leaks, and puts the bounds of every finding in order. */
void bounds_settle(struct visit *visit);

#endif /* TARE_DOCTOR_BOUNDS_H */
