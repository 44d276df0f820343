/* unwatched.h - processes of a run that no probe watched: they forbid the answer "No".
 *
 * A run is called harmless only where every process that mattered was watched. Helpers of a moment do not
 * matter: what they lose, they lose once.
 */
#ifndef TARE_DOCTOR_UNWATCHED_H
#define TARE_DOCTOR_UNWATCHED_H

#include "doctor/facts/diagnosis.h"
#include "ledger/model.h"

/* The one among the run's processes that lived longest unwatched, in the arena; NULL: none lived long enough,
 * or there is no room. `own`: of `tare run`, or NULL. */
const struct unwatched_process *unwatched_find(const struct model *own, struct arena *arena);

/* "process 12 (nginx) was not watched: REASON", for the middle of a sentence, without its full stop. */
const char *unwatched_words(const struct unwatched_process *unwatched, struct arena *arena);

#endif /* TARE_DOCTOR_UNWATCHED_H */
