/* silence.h - time in which a process waits counts as time.
 *
 * Slices of time are cut when something is sampled, so that a server that has been filled and then waits has
 * none. Silence at the end that lasts longer than all that was seen before it is added to the series: nothing
 * grew in it. Shorter pauses say nothing, for work may come again. Only along slices of time: a wait is no
 * turn of a loop, and no request.
 */
#ifndef TARE_DOCTOR_SILENCE_H
#define TARE_DOCTOR_SILENCE_H

#include "doctor/visit.h"

/* Before the series is judged. */
void silence_add(struct visit *visit);

#endif /* TARE_DOCTOR_SILENCE_H */
