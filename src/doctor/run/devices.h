/* devices.h - the memory of a process's devices, as the ledger has it at the last step. */
#ifndef TARE_DOCTOR_DEVICES_H
#define TARE_DOCTOR_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

struct arena;          /* base/arena.h */
struct device_summary; /* doctor/facts/diagnosis.h */
struct model;          /* ledger/model.h */
struct places;         /* doctor/source/places.h */

/* Fills all but the list of sites. `device`: index into model->devices. `places` may be NULL. */
void device_summary_make(struct device_summary *out, const struct model *model, size_t device,
                         struct places *places, struct arena *arena);

/* True if the memory of the process's devices was measured: block by block, or by its framework's own
 * count. */
bool devices_are_measured(const struct model *model);

#endif /* TARE_DOCTOR_DEVICES_H */
