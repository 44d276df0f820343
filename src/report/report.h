/* report.h - a diagnosis in words: as text for people, as JSON for programs. */
#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct report_options {
    bool json;         /* JSON instead of text */
    bool color;        /* text with escape sequences for colours */
    bool verbose;      /* the full text, not one screen */
    bool redact;       /* replace names and source lines by hashes */
    bool started_here; /* this process started the program of the run; only `tare run` sets it */
    uint64_t since;    /* judge only what came after this time of CLOCK_MONOTONIC, in ns; 0: all */
};

/* Judges the run directory or ledger at `path` and writes the report to `out`.
 * Returns the exit code of the verdict (0, 1 or 3) or a negative enum err. */
int report_path(const char *path, const struct report_options *options, FILE *out,
                struct why *why);

struct diagnosis; /* doctor/facts/diagnosis.h */

/* The same for a run that is already judged. With options->redact the diagnosis is redacted in place. */
int report_write(struct diagnosis *diagnosis, const struct report_options *options, FILE *out,
                 struct why *why);

/* Judges the run directory or ledger at `path` with these options. The caller calls diagnosis_free. */
int report_diagnose_as(struct diagnosis *out, const char *path, const struct report_options *options,
                       struct why *why);

#endif /* TARE_REPORT_REPORT_H */
