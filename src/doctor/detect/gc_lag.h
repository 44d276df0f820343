/* gc_lag.h - garbage that waited for the collector, found by a collection in the middle of a run.
 *
 * Blocks that such a collection releases are gone when the run is judged at its end, so no growing
 * cohort is left. But the ledger still has their deaths.
 */
#ifndef TARE_DOCTOR_GC_LAG_H
#define TARE_DOCTOR_GC_LAG_H

#include "doctor/measure/visit.h"

/* Python's collector is switched off, and the program does not call it: garbage stays. */
bool lag_is_endless(const struct visit *visit);

#endif /* TARE_DOCTOR_GC_LAG_H */
