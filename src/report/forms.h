/* forms.h - the forms of a report. A form lays out the sentences of a diagnosis and writes none itself. */
#ifndef TARE_REPORT_FORMS_H
#define TARE_REPORT_FORMS_H

#include <stdio.h>

#include "doctor/facts/diagnosis.h"
#include "report/options.h"

/* For people: the answer, then its reasons on one screen, or everything (`verbose`). */
void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out);

struct page; /* report/page.h */

/* The part of the text report about one process. `most`: lines of each list of sites. */
void report_process(struct page *page, const struct process_report *report, size_t most);

/* For programs: everything, as docs/report.schema.json says. */
void report_json(const struct diagnosis *d, FILE *out);

struct json; /* report/json/json_writer.h */

/* The same as one member of a larger document. */
void report_json_put(struct json *json, const char *name, const struct diagnosis *d);

#endif /* TARE_REPORT_FORMS_H */
