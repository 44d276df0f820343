/* survival.h - of a finding's blocks, by the time of their birth: how many were made, how many are alive. */
#ifndef TARE_DOCTOR_SURVIVAL_H
#define TARE_DOCTOR_SURVIVAL_H

#include "doctor/visit.h"

/* In eighths of the run; of the cohort's site, or of all sites of its class where they are judged as one. */
void survival_fill(struct finding *out, struct visit *visit, const struct cohort *main);

#endif /* TARE_DOCTOR_SURVIVAL_H */
