/* view.h - a run as one HTML file that needs only a browser.
 *
 * The page itself (web/) is built into the program. This module adds the data: the report's JSON, memory
 * over time, stacks and source lines, compressed.
 */
#ifndef TARE_REPORT_VIEW_H
#define TARE_REPORT_VIEW_H

#include <stdio.h>

#include "base/err.h"
#include "report/options.h"

/* The page, with a mark where the data belongs. Size 0: tare was built without the page. */
extern const unsigned char view_template[];
extern const size_t view_template_size;

/* Judges the run directory or ledger at `path` and writes the page to `out`. Returns the exit
 * code of the verdict or a negative enum err; ERR_ABSENT: tare was built without the page. */
int view_path(const char *path, const struct report_options *options, FILE *out, struct why *why);

struct diagnosis; /* doctor/facts/diagnosis.h */

/* The same for a run that is already judged. With options->redact the diagnosis is redacted in place. */
int view_judged(const char *path, struct diagnosis *diagnosis, const struct report_options *options,
                FILE *out, struct why *why);

struct run; /* ledger/model.h */

/* The same for a run that is loaded and judged. */
int view_write(const struct run *run, struct diagnosis *diagnosis,
               const struct report_options *options, FILE *out, struct why *why);

#endif /* TARE_REPORT_VIEW_H */
