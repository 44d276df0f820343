/* tensor_advice.h - what to do about tensors that were never disposed. */
#ifndef TARE_DOCTOR_TENSOR_ADVICE_H
#define TARE_DOCTOR_TENSOR_ADVICE_H

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

/* The advice for a finding of tensors whose holder is known. `site`: index into model->sites. */
enum remedy_name tensor_advice(const struct finding *finding, const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_TENSOR_ADVICE_H */
