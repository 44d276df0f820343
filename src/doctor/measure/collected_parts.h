/* collected_parts.h - what the runtimes share to read collections from a ledger. */
#ifndef TARE_DOCTOR_COLLECTED_PARTS_H
#define TARE_DOCTOR_COLLECTED_PARTS_H

#include "doctor/measure/collected.h"

/* A collection, or several that count as one. Of the blocks born before `made`, those that died from `begin`
 * on were released, and those that died from `end` on were alive until then. */
struct collection {
    uint64_t made, begin, end; /* ordinals */
};

/* Counts the sampled blocks of the site that this collection released and left. `exact`: of its size class
 * alone; else of all size classes of its stack. */
void collected_count(struct collected *out, const struct model *model, const struct model_site *site,
                     const struct collection *collection, bool exact);

/* Does this site (index + 1) make the same as `site`? Tensors are not blocks, though one line may make
 * both. `exact`: of the same size class. */
bool collected_alike(const struct model *model, uint32_t number, const struct model_site *site, bool exact);

/* The ordinal of the last step that a clock other than time has ended; 0: none. Slices of time
 * continue while tare examines a finished program. After that step the function that held
 * everything may have returned. */
uint64_t collected_last_tick(const struct model *model);

#endif /* TARE_DOCTOR_COLLECTED_PARTS_H */
