/* enough.h - was enough seen to say anything?
 *
 * No verdict without evidence: a program that ended at once, that failed before its work began or that made
 * a few steps only is neither clean nor leaky.
 */
#ifndef TARE_DOCTOR_ENOUGH_H
#define TARE_DOCTOR_ENOUGH_H

#include "doctor/visit.h"

/* NULL: enough. Else why not, as the end of a sentence; owned by the arena. */
const char *enough_lacks(const struct visit *visit);

#endif /* TARE_DOCTOR_ENOUGH_H */
