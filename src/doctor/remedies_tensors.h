/* remedies_tensors.h - what to do about tensors that nobody has disposed, in the names of the source. */
#ifndef TARE_DOCTOR_REMEDIES_TENSORS_H
#define TARE_DOCTOR_REMEDIES_TENSORS_H

#include "doctor/diagnosis.h"
#include "ledger/model.h"

struct arena; /* base/arena.h */

/* Sets the remedy of a finding of tensors, whose place and holder are known. */
void remedy_for_tensors(struct finding *finding, const struct model *model, uint32_t site,
                        struct arena *arena);

#endif /* TARE_DOCTOR_REMEDIES_TENSORS_H */
