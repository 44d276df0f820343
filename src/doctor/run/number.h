/* number.h - findings are numbered once for the whole run, in the order in which a report shows them. */
#ifndef TARE_DOCTOR_NUMBER_H
#define TARE_DOCTOR_NUMBER_H

#include <stddef.h>

#include "doctor/facts/diagnosis.h"

/* Gives every finding its number, after headline_settle(): first those of the process that speaks for the
 * run, then the others, notes last. The same finding in several processes has one number: forked
 * workers leak alike. */
void number_findings(struct diagnosis *diagnosis);

struct numbered {
    const struct process_report *report; /* the first process that has it, in the order above */
    const struct finding *finding;
    size_t owners; /* processes that have it */
};

/* False: no finding has this number. */
bool number_find(const struct diagnosis *diagnosis, unsigned number, struct numbered *out);

#endif /* TARE_DOCTOR_NUMBER_H */
