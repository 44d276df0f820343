/* forms.h - the forms a diagnosis can be laid out in. They write no words of their own about it. */
#ifndef TARE_REPORT_FORMS_H
#define TARE_REPORT_FORMS_H

#include <stdio.h>

#include "doctor/facts/diagnosis.h"
#include "report/report.h"

/* For people: the answer, then its reasons on one screen, or everything (`verbose`). */
void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out);

/* What the same says of one process, with so many lines of each list of sites. */
struct page; /* report/page.h */
void report_process(struct page *page, const struct process_report *report, size_t most);

/* For programs: everything, as docs/report.schema.json says. */
void report_json(const struct diagnosis *d, FILE *out);

/* The same as a part of a larger document. */
struct json; /* report/json_writer.h */
void report_json_put(struct json *json, const char *name, const struct diagnosis *d);

/* Judges a run directory, the parent of two (`--try`), or a ledger. What is not there is ERR_IO, a
 * directory without ledgers ERR_FORMAT. */
int report_diagnose(struct diagnosis *out, const char *path, struct why *why);

/* Loads a run directory or a ledger, with the same errors. */
int report_load(struct run *run, const char *path, struct why *why);
/* The same with run_load_brief. */
int report_load_brief(struct run *run, const char *path, struct why *why);

/* The same; where a remedy was tried, the run without it. */
int report_load_plain(struct run *run, const char *path, struct why *why);

#endif /* TARE_REPORT_FORMS_H */
