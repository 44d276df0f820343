/* silence.h - counts the time in which a process waits.
 *
 * A slice of time ends when something is sampled, so a server that fills its stores and then only
 * waits has no slices while it waits. If the wait at the end lasts longer than everything before
 * it, it is added to the series as slices without growth. Shorter pauses are not, because work may
 * continue. With other clocks nothing is added: a wait is neither a turn of a loop nor a request.
 */
#ifndef TARE_DOCTOR_SILENCE_H
#define TARE_DOCTOR_SILENCE_H

#include "doctor/measure/visit.h"

/* Adds the wait to visit->series. Call it before the series is judged. */
void silence_add(struct visit *visit);

#endif /* TARE_DOCTOR_SILENCE_H */
