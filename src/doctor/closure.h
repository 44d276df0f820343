/* closure.h - a clean verdict needs a closed account.
 *
 * Where live memory, an interpreter's arenas or the resident size rises to the end and nothing that was found
 * explains it, nobody may say that nothing grows: the answer is "not decided", with what rises.
 */
#ifndef TARE_DOCTOR_CLOSURE_H
#define TARE_DOCTOR_CLOSURE_H

#include "doctor/visit.h"

/* Adds that finding where it is due. After all other rules; the series may be empty. */
void closure_check(struct visit *visit);

#endif /* TARE_DOCTOR_CLOSURE_H */
