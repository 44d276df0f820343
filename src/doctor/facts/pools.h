/* pools.h - memory that a library keeps in its own allocator, by the module that mapped it. */
#ifndef TARE_DOCTOR_POOLS_H
#define TARE_DOCTOR_POOLS_H

#include "ledger/model.h"

#define POOLS_MAX 4

struct pool {
    const char *name; /* "pyarrow's memory pool" */
    const char *code; /* the call that makes it return memory; NULL: not known */
    uint64_t mapped, resident; /* `resident` dates from the latest account of memory */
};

/* Fills in the pools that have live mappings. Returns their number. */
size_t pools_of(const struct model *model, struct pool pools[POOLS_MAX]);

/* Finds the pool whose mappings this site made (index into model->sites). False: none. */
bool pools_made(const struct model *model, uint32_t site, struct pool *out);

#endif /* TARE_DOCTOR_POOLS_H */
