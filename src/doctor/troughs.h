/* troughs.h - growth of memory that rises and falls: by how much more is there each time it has fallen.
 *
 * An interpreter's collector frees in one go what has gathered for many steps. Between two falls nobody
 * can tell what stays from what waits; from trough to trough live bytes grow by what stays, and by no more
 * than that and what waits for a collection that comes even less often.
 */
#ifndef TARE_DOCTOR_TROUGHS_H
#define TARE_DOCTOR_TROUGHS_H

#include "doctor/series.h"

/* Bytes per tick, behind the first quarter of the run; 0: it fell too rarely, or not to one line. */
double troughs_growth(const struct series *series);

#endif /* TARE_DOCTOR_TROUGHS_H */
