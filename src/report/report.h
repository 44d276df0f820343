/* report.h - a diagnosis in words: as text for people, as JSON for programs. */
#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct report_options {
    bool json;
    bool color;
    bool verbose; /* of the text: everything, not one screen */
    bool redact; /* names and source lines are replaced by hashes */
    bool started_here; /* this process started the program of the run; only `tare run` says so */
    uint64_t since; /* judge what came after this time of CLOCK_MONOTONIC, in nanoseconds; 0: all */
};

/* Judges the run directory or ledger at `path` and writes the report to `out`.
 * Returns the exit code of the verdict (0, 1 or 3) or a negative enum err. */
int report_path(const char *path, const struct report_options *options, FILE *out,
                struct why *why);

struct diagnosis; /* doctor/facts/diagnosis.h */

/* The same of a run that is judged already; the diagnosis is redacted in place if so asked. */
int report_write(struct diagnosis *diagnosis, const struct report_options *options, FILE *out,
                 struct why *why);

/* Judges the run directory or ledger at `path`, as the options say. To be freed by diagnosis_free. */
int report_diagnose_as(struct diagnosis *out, const char *path, const struct report_options *options,
                       struct why *why);

#endif /* TARE_REPORT_REPORT_H */
