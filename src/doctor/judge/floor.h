/* floor.h - which findings decide the verdict, and which are notes. */
#ifndef TARE_DOCTOR_FLOOR_H
#define TARE_DOCTOR_FLOOR_H

#include "doctor/measure/visit.h"

/* Turns findings with a rate below the floor into notes, unless a limit is near. Each note gets its
 * reason. If all growth together is less than that of frameworks without a leak, it drops the findings. */
void floor_apply(struct visit *visit, const struct forecast *forecast);

#endif /* TARE_DOCTOR_FLOOR_H */
