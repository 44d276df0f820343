/* mapped.h - what to do about mappings that stay. */
#ifndef TARE_DOCTOR_MAPPED_H
#define TARE_DOCTOR_MAPPED_H

#include "doctor/facts/remedy.h"
#include "ledger/model.h"

/* Is most of this site's shared memory unmapped, but still there because it has a name? */
bool mapped_is_left(const struct model *model, uint32_t site);

enum remedy_name mapped_remedy(const struct model *model, uint32_t site);

#endif /* TARE_DOCTOR_MAPPED_H */
