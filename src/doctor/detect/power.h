/* power.h - how many more steps the rules need (docs/internals/rules.md derives the formula). */
#ifndef TARE_DOCTOR_POWER_H
#define TARE_DOCTOR_POWER_H

#include <stdint.h>

#include "doctor/measure/series.h"

/* How many more ticks are needed; at least 1. `survivors`: blocks per tick that survive at the
 * best site. `arrivals`: share of ticks that leave a survivor. `sites`: number of sites tested.
 * `seen`: ticks of the window so far. */
uint64_t power_more(double survivors, double arrivals, uint64_t sites, uint64_t seen);

/* How many more ticks are needed before growth is judged at all; `blocks` survive per tick. */
uint64_t power_first(const struct series *series, double blocks);

#endif /* TARE_DOCTOR_POWER_H */
