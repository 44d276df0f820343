/* headline.h - which process of a run speaks for it. */
#ifndef TARE_DOCTOR_HEADLINE_H
#define TARE_DOCTOR_HEADLINE_H

#include "doctor/facts/diagnosis.h"

/* The one with the worst finding; where none has any, the one that most was seen of. NULL: there is none. */
const struct process_report *headline_process(const struct diagnosis *diagnosis);

/* The same of the processes that run this program; NULL: of all. */
const struct process_report *headline_of_program(const struct diagnosis *diagnosis, const char *program);

/* Sets `speaks`, `passed_over` and `launcher` of every process. Passed over is a process that is undecided
 * because evidence is missing, while another of the run was decided: a loader's workers. So is a launcher,
 * even where nothing was decided: it had ended, or become another program, before the one that speaks
 * began. */
void headline_settle(struct diagnosis *diagnosis);

#endif /* TARE_DOCTOR_HEADLINE_H */
