/* culprits.h - growing cohorts, grouped by the line that allocates them. */
#ifndef TARE_DOCTOR_CULPRITS_H
#define TARE_DOCTOR_CULPRITS_H

#include "doctor/measure/visit.h"

/* Judges each suspect's cohorts and fills in the visit's outcomes. */
void culprits_try(struct visit *visit);

#endif /* TARE_DOCTOR_CULPRITS_H */
