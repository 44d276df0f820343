/* diff_form.h - two runs compared, as text and as JSON. */
#ifndef TARE_REPORT_DIFF_FORM_H
#define TARE_REPORT_DIFF_FORM_H

#include <stdio.h>

#include "base/err.h"
#include "report/options.h"

/* Judges both runs and writes what changed. Returns the exit code of the comparison
 * (doctor/verbs/compare.h), or a negative enum err. */
int diff_paths(const char *before, const char *after, const struct report_options *options,
               FILE *out, struct why *why);

#endif /* TARE_REPORT_DIFF_FORM_H */
