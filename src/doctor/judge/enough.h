/* enough.h - was enough observed for a verdict?
 *
 * No verdict without evidence. If a program ended at once, failed before its work began or made
 * only a few steps, it is neither clean nor leaky.
 */
#ifndef TARE_DOCTOR_ENOUGH_H
#define TARE_DOCTOR_ENOUGH_H

#include "doctor/measure/visit.h"

/* Returns what is missing; FACT_none: enough was observed. */
struct fact enough_lacks(const struct visit *visit);

#endif /* TARE_DOCTOR_ENOUGH_H */
