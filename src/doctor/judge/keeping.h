/* keeping.h - the table of the bytes that each model leaves allocated, by keeper. It is for
 * programs that build and train one model after the other. */
#ifndef TARE_DOCTOR_KEEPING_H
#define TARE_DOCTOR_KEEPING_H

#include "doctor/measure/visit.h"

/* Fills the report's table if models are the clock and there were enough of them. Findings must
 * be final. */
void keeping_fill(struct process_report *report, const struct visit *visit);

#endif /* TARE_DOCTOR_KEEPING_H */
