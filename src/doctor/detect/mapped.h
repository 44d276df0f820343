/* mapped.h - what to do about mappings that leak. */
#ifndef TARE_DOCTOR_MAPPED_H
#define TARE_DOCTOR_MAPPED_H

#include "doctor/facts/remedy.h"
#include "ledger/model.h"

/* True if most of this site's shared memory is unmapped, but still exists because it has a name. */
bool mapped_is_left(const struct model *model, uint32_t site);

/* The advice for mappings of this site (index into model->sites). */
enum remedy_name mapped_remedy(const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_MAPPED_H */
