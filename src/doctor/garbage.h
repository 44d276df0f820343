/* garbage.h - the counters of a JavaScript process without what the collector released later. */
#ifndef TARE_DOCTOR_GARBAGE_H
#define TARE_DOCTOR_GARBAGE_H

#include "doctor/series.h"

/* Buffers and managed tensors are released by the collector alone, many at once and at its own time:
 * their counters are saw teeth, and a tooth at the end of a run hides a leak. A block that was found
 * to be garbage was so before; it is taken out of every point between its birth and its death. What
 * is left counts what no collection has released so far. Sampled blocks stand for the others. */
void garbage_take_out(struct series *series, const struct model *model, struct arena *arena);

#endif /* TARE_DOCTOR_GARBAGE_H */
