/* pools.h - memory that a library keeps in an allocator of its own, by the module that mapped it. */
#ifndef TARE_DOCTOR_POOLS_H
#define TARE_DOCTOR_POOLS_H

#include "ledger/model.h"

#define POOLS_MAX 4

struct pool {
    const char *name; /* "pyarrow's memory pool" */
    const char *code; /* what has it give memory back; NULL: nothing known */
    uint64_t mapped, resident; /* resident: as the account was last taken */
};

/* The pools that have mappings alive; how many. */
size_t pools_of(const struct model *model, struct pool pools[POOLS_MAX]);

/* Whose mappings this site made (index into model->sites); false: no pool's. */
bool pools_made(const struct model *model, uint32_t site, struct pool *out);

#endif /* TARE_DOCTOR_POOLS_H */
