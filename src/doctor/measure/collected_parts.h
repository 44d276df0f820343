/* collected_parts.h - what the runtimes share to read collections from a ledger. */
#ifndef TARE_DOCTOR_COLLECTED_PARTS_H
#define TARE_DOCTOR_COLLECTED_PARTS_H

#include "doctor/measure/collected.h"

/* A collection, or several that count as one, in ordinals. */
struct collection {
    uint64_t made;  /* it examined the blocks born before this ordinal */
    uint64_t begin; /* it released the blocks that died from this ordinal on, ... */
    uint64_t end;   /* ... and before this one; those that died later survived it */
};

/* Counts the sampled blocks of the site that this collection released and left. `exact`: only
 * blocks of the site's size class; else of all size classes of its stack. */
void collected_count(struct collected *out, const struct model *model, const struct model_site *site,
                     const struct collection *collection, bool exact);

/* True if this site (index + 1) has the stack of `site` and allocates the same kind: one line
 * may allocate both blocks and tensors. `exact`: the size class must be the same too. */
bool collected_alike(const struct model *model, uint32_t number, const struct model_site *site, bool exact);

/* The ordinal of the last step that a clock other than time has ended; 0: none. Slices of time
 * continue while tare examines a finished program. After that step the function that held
 * everything may have returned. */
uint64_t collected_last_tick(const struct model *model);

#endif /* TARE_DOCTOR_COLLECTED_PARTS_H */
