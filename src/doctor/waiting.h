/* waiting.h - what of a cohort's bytes only waits for the collector.
 *
 * Where no site has enough blocks to be judged alone, all are judged together: garbage that no collection
 * has met yet is then among what stays. Of a site whose blocks died with a collection the later ones will
 * die too.
 */
#ifndef TARE_DOCTOR_WAITING_H
#define TARE_DOCTOR_WAITING_H

#include "doctor/visit.h"

/* From 0 to 1, of the blocks that count as survivors of this cohort. */
double waiting_share(struct visit *visit, const struct cohort *cohort);

#endif /* TARE_DOCTOR_WAITING_H */
