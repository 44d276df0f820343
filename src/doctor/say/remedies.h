/* remedies.h - what to change, in words: the advice of a finding, with the names of its source filled in. */
#ifndef TARE_DOCTOR_REMEDIES_H
#define TARE_DOCTOR_REMEDIES_H

#include "doctor/facts/diagnosis.h"

/* All NULL: there is no advice. */
struct remedy remedy_of(const struct finding *finding, struct arena *arena);

#endif /* TARE_DOCTOR_REMEDIES_H */
