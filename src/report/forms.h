/* forms.h - the forms a diagnosis can be laid out in. They write no words of their own about it. */
#ifndef TARE_REPORT_FORMS_H
#define TARE_REPORT_FORMS_H

#include <stdio.h>

#include "doctor/diagnosis.h"
#include "report/report.h"

/* For people: the answer first, then its reasons; one screen in the common case. */
void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out);

/* For programs: everything, as docs/report.schema.json says. */
void report_json(const struct diagnosis *d, FILE *out);

/* Judges a run directory, the parent of two (`--try`), or a ledger. What is not there is ERR_IO, a
 * directory without ledgers ERR_FORMAT. */
int report_diagnose(struct diagnosis *out, const char *path, struct why *why);

#endif /* TARE_REPORT_FORMS_H */
