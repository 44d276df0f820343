/* report.h - a diagnosis in words: as text for people, as JSON for programs. */
#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H

#include <stdio.h>

#include "base/err.h"
#include "report/options.h"

/* Judges the run directory or ledger at `path` and writes the report to `out`.
 * Returns the exit code of the verdict (0, 1 or 3) or a negative enum err. */
int report_path(const char *path, const struct report_options *options, FILE *out,
                struct why *why);

struct diagnosis; /* doctor/facts/diagnosis.h */

/* The same for a run that is already judged. With options->redact the diagnosis is redacted in place. */
int report_write(struct diagnosis *diagnosis, const struct report_options *options, FILE *out,
                 struct why *why);

#endif /* TARE_REPORT_REPORT_H */
