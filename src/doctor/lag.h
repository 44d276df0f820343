/* lag.h - garbage that waited for the collector, as a collection in the middle of a run shows it.
 *
 * What such a collection releases is gone when the run is judged at its end: no cohort is left that
 * could be found to grow. The deaths it caused are on record all the same.
 */
#ifndef TARE_DOCTOR_LAG_H
#define TARE_DOCTOR_LAG_H

#include "doctor/visit.h"

/* One finding for each line whose blocks waited for a collection that was asked for, unless there is
 * one for that line already. None where full collections were made without us. */
void lag_report(struct visit *visit);

/* Python's collector is switched off, and nobody collects in its place: what waits for it stays. */
bool lag_is_endless(const struct visit *visit);

#endif /* TARE_DOCTOR_LAG_H */
