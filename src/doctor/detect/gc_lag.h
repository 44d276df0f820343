/* gc_lag.h - garbage that waits for the collector, seen when a collection in the middle of a run
 * frees it.
 *
 * At the end of the run these blocks are gone, so no cohort grows. But the ledger still has their
 * deaths.
 */
#ifndef TARE_DOCTOR_GC_LAG_H
#define TARE_DOCTOR_GC_LAG_H

#include "doctor/measure/visit.h"

/* True if Python's collector is switched off and the program does not call it: garbage stays for
 * ever. */
bool lag_is_endless(const struct visit *visit);

#endif /* TARE_DOCTOR_GC_LAG_H */
