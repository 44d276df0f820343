/* headline.h - which process of a run speaks for it. */
#ifndef TARE_DOCTOR_HEADLINE_H
#define TARE_DOCTOR_HEADLINE_H

#include "doctor/facts/diagnosis.h"

/* The one with the worst finding; where none has any, the one that most was seen of. NULL: there is none. */
const struct process_report *headline_process(const struct diagnosis *diagnosis);

/* The same of the processes that run this program; NULL: of all. */
const struct process_report *headline_of_program(const struct diagnosis *diagnosis, const char *program);

/* Is it undecided because evidence is missing, while another process of the run was decided?
 * This holds for a loader's workers and for the shell that started the program. */
bool headline_passes_over(const struct diagnosis *diagnosis, const struct process_report *report);

#endif /* TARE_DOCTOR_HEADLINE_H */
