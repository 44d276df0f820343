/* load.h - from a path to ledgers, and to a diagnosis. */
#ifndef TARE_REPORT_LOAD_H
#define TARE_REPORT_LOAD_H

#include "base/err.h"
#include "report/options.h"

struct diagnosis; /* doctor/facts/diagnosis.h */
struct run;       /* ledger/model.h */

/* Loads a run directory or a ledger. ERR_IO: the path does not exist; ERR_FORMAT: a directory without
 * ledgers. The caller calls run_free. */
int report_load(struct run *run, const char *path, struct why *why);

/* The same through run_load_brief. */
int report_load_brief(struct run *run, const char *path, struct why *why);

/* The same as report_load; of two runs with and without a remedy, the one without. */
int report_load_plain(struct run *run, const char *path, struct why *why);

/* Judges a run directory, the parent directory of two runs (`--try`), or a ledger, with the same errors. The
 * caller calls diagnosis_free. */
int report_diagnose(struct diagnosis *out, const char *path, struct why *why);

/* The same with these options. */
int report_diagnose_as(struct diagnosis *out, const char *path, const struct report_options *options,
                       struct why *why);

#endif /* TARE_REPORT_LOAD_H */
