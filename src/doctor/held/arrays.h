/* arrays.h - the type and shape of the array or tensor whose data the blocks of a site are. The
 * search for holders found it as the last object before the blocks. */
#ifndef TARE_DOCTOR_ARRAYS_H
#define TARE_DOCTOR_ARRAYS_H

#include "ledger/model.h"

struct arena;       /* base/arena.h */
struct array_facts; /* doctor/facts/diagnosis.h */

/* The array of a record of model->holders, in the arena. NULL: the search found none. */
const struct array_facts *arrays_of(const struct model *model, const struct holder_record *record,
                                    struct arena *arena);

/* "float32 [32, 64]", in the arena. */
const char *arrays_text(const struct array_facts *array, struct arena *arena);

#endif /* TARE_DOCTOR_ARRAYS_H */
