/* report.h - a diagnosis laid out for people (text) and for programs (JSON). */
#ifndef TARE_REPORT_REPORT_H
#define TARE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "doctor/diagnosis.h"

#define REPORT_SCHEMA                                                                              \
    1 /* of the JSON, docs/report.schema.json; fields may be added under one number */

struct report_options {
    bool json;
    bool color;
};

/* Reads the ledgers at `path` (a run's directory or one file), judges, and writes the report.
 * The enum kind (>= 0) of the whole run, or a negative enum err. */
int report_path(const char *path, const struct report_options *options, FILE *out, struct why *why);

void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out);
void report_json(const struct diagnosis *d, FILE *out);

#endif /* TARE_REPORT_REPORT_H */
