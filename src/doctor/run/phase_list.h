/* phase_list.h - the phases of a process, for its report: what counted the work, and what was kept. */
#ifndef TARE_DOCTOR_PHASE_LIST_H
#define TARE_DOCTOR_PHASE_LIST_H

#include "doctor/measure/visit.h"

/* Phases that came again are one. `report` keeps what lies in the visit's arena. */
void phase_list_fill(struct process_report *report, const struct visit *visit);

#endif /* TARE_DOCTOR_PHASE_LIST_H */
