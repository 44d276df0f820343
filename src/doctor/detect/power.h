/* power.h - how many more steps the rules need (docs/internals/rules.md derives the formula). */
#ifndef TARE_DOCTOR_POWER_H
#define TARE_DOCTOR_POWER_H

#include <stdint.h>

#include "doctor/measure/series.h"

/* `survivors`: blocks per tick that survive at the best site. `arrivals`: share of ticks that
 * leave a survivor. `sites`: number of sites tested. `seen`: ticks of the window so far. Returns
 * at least 1. */
uint64_t power_more(double survivors, double arrivals, uint64_t sites, uint64_t seen);

/* Ticks until the first look, for a run that has seen `ticks`; `blocks` survive per tick. */
uint64_t power_first(const struct series *series, double blocks);

#endif /* TARE_DOCTOR_POWER_H */
