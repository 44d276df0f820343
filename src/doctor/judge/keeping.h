/* keeping.h - for programs that build and train one model after the other: a table of how many bytes each
 * model leaves allocated, by what keeps them. */
#ifndef TARE_DOCTOR_KEEPING_H
#define TARE_DOCTOR_KEEPING_H

#include "doctor/measure/visit.h"

/* Fills the report's table if the clock counts models and at least 8 were built. Findings must be
 * final. */
void keeping_fill(struct process_report *report, const struct visit *visit);

#endif /* TARE_DOCTOR_KEEPING_H */
