/* check_form.h - `tare check` in words: what passed, what failed, and why. */
#ifndef TARE_REPORT_CHECK_FORM_H
#define TARE_REPORT_CHECK_FORM_H

#include <stdio.h>

#include "doctor/verbs/check.h"
#include "report/options.h"

/* Judges the run at `path`, compares it with the limits and writes the result. `allow_file`: a file of
 * suppressions, or NULL. Returns an enum check_outcome, or a negative enum err. */
int check_path(const char *path, const struct check_limits *limits, const char *allow_file,
               const struct report_options *options, FILE *out, struct why *why);

#endif /* TARE_REPORT_CHECK_FORM_H */
