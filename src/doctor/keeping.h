/* keeping.h - what one model leaves behind, by what keeps it: the table for programs that build and train
 * one model after the other. */
#ifndef TARE_DOCTOR_KEEPING_H
#define TARE_DOCTOR_KEEPING_H

#include "doctor/visit.h"

/* Fills the report's table where models are the clock and there were enough of them; findings are settled. */
void keeping_fill(struct process_report *report, const struct visit *visit);

#endif /* TARE_DOCTOR_KEEPING_H */
