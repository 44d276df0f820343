/* focus.h - which size classes the doctor asks a program to watch. */
#ifndef TARE_DOCTOR_FOCUS_H
#define TARE_DOCTOR_FOCUS_H

#include "ledger/model.h"

/* Classes that are suspect and not watched yet, one bit each, the purest first and as many as the
 * budget allows (doctor/classes.h). 0: nothing to ask for. To be added to model->head.watched. */
uint64_t focus_of(const struct model *model);

#endif /* TARE_DOCTOR_FOCUS_H */
