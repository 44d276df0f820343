/* late_deaths.h - blocks that were released after the last tick, when the program cleaned up.
 *
 * They count as alive, because a run is judged as of its last tick: an interpreter that empties its modules
 * at the end would leave nothing to see of a leak.
 */
#ifndef TARE_DOCTOR_LATE_DEATHS_H
#define TARE_DOCTOR_LATE_DEATHS_H

#include <stddef.h>
#include <stdint.h>

#include "doctor/facts/ticks.h"

struct death_record; /* ledger/layout.h */
struct model;        /* ledger/model.h */

/* The first late death, of all to the end of model->deaths. */
size_t late_deaths_from(const struct model *model, enum clock_id clock);

/* The bytes that a death stands for. Its site must be one of the model's. */
double late_death_bytes(const struct model *model, const struct death_record *death);

/* The blocks that it stands for. */
double late_death_blocks(const struct model *model, const struct death_record *death);

#endif /* TARE_DOCTOR_LATE_DEATHS_H */
