/* undecided.h - what grows, and cannot be judged yet: too few steps, or it may be coming to rest. */
#ifndef TARE_DOCTOR_UNDECIDED_H
#define TARE_DOCTOR_UNDECIDED_H

#include "doctor/culprits.h"

/* All columns in this state as one finding, named by the one that grows fastest. */
void undecided_open(struct visit *visit, const struct outcome *outcomes, enum cohort_state state);

/* Fewer ticks than the first look needs: what was kept so far, if nearly every tick kept something. */
void undecided_early(struct visit *visit);

/* The site of which most bytes were made during the steps and were there at the last of them;
 * UINT32_MAX: none. */
uint32_t undecided_kept(struct visit *visit);

#endif /* TARE_DOCTOR_UNDECIDED_H */
