/* headline.h - which process of a run speaks for it. */
#ifndef TARE_DOCTOR_HEADLINE_H
#define TARE_DOCTOR_HEADLINE_H

#include "doctor/diagnosis.h"

/* The one with the worst finding; where none has any, the one that most was seen of. NULL: there is none. */
const struct process_report *headline_process(const struct diagnosis *diagnosis);

/* Was nothing decided about it for want of evidence, while another process of the run was decided? A loader's
 * workers and the shell that started the program are such. */
bool headline_passes_over(const struct diagnosis *diagnosis, const struct process_report *report);

#endif /* TARE_DOCTOR_HEADLINE_H */
