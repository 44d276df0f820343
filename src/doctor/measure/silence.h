/* silence.h - counts the time in which a process waits.
 *
 * Slices of time are cut when something is sampled, so a server that has been filled and then waits
 * has none. Silence at the end that lasts longer than everything before it is added to the series:
 * nothing grew in it. Shorter pauses say nothing, because work may come again. This holds only
 * along slices of time: a wait is neither a turn of a loop nor a request.
 */
#ifndef TARE_DOCTOR_SILENCE_H
#define TARE_DOCTOR_SILENCE_H

#include "doctor/measure/visit.h"

/* Before the series is judged. */
void silence_add(struct visit *visit);

#endif /* TARE_DOCTOR_SILENCE_H */
