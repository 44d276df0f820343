/* floor.h - which findings decide the verdict, and which are notes. */
#ifndef TARE_DOCTOR_FLOOR_H
#define TARE_DOCTOR_FLOOR_H

#include "doctor/measure/visit.h"

/* Turns findings with a rate below the floor into notes, unless a limit is near. Each note has
 * the reason. If all growth together is less than clean frameworks have, it drops the findings. */
void floor_apply(struct visit *visit, const struct forecast *forecast);

#endif /* TARE_DOCTOR_FLOOR_H */
