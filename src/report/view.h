/* view.h - a run as one HTML file that needs nothing but a browser.
 *
 * The page itself (web/) is put into the program when it is built; what is written here is the
 * data: the report's JSON and, beside it, memory over time, stacks and source lines, compressed.
 */
#ifndef TARE_REPORT_VIEW_H
#define TARE_REPORT_VIEW_H

#include <stdio.h>

#include "report/report.h"

/* The page with a mark where the data goes. Size 0: tare was built without it. */
extern const unsigned char view_template[];
extern const size_t view_template_size;

/* Judges the run directory or ledger at `path` and writes the page to `out`. Returns the exit
 * code of the verdict or a negative enum err: ERR_ABSENT when the page was not built in. */
int view_path(const char *path, const struct report_options *options, FILE *out, struct why *why);

/* The same where that run is judged already: the diagnosis is not redacted yet, and will be if so asked. */
struct diagnosis; /* doctor/facts/diagnosis.h */
int view_judged(const char *path, struct diagnosis *diagnosis, const struct report_options *options,
                FILE *out, struct why *why);

/* The same from a run that is loaded and judged; the diagnosis is redacted in place if so asked. */
struct run; /* ledger/model.h */
int view_write(const struct run *run, struct diagnosis *diagnosis,
               const struct report_options *options, FILE *out, struct why *why);

#endif /* TARE_REPORT_VIEW_H */
