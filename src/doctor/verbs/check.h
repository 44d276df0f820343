/* check.h - a run held against limits: passed, failed, or not enough evidence to say.
 *
 * A limit on growth counts as passed or failed only when the whole interval of the measured rate
 * lies on one side of it. Notes (growth below the floor of a finding) never count.
 */
#ifndef TARE_DOCTOR_CHECK_H
#define TARE_DOCTOR_CHECK_H

#include "doctor/verbs/allow.h"
#include "doctor/facts/diagnosis.h"

enum check_unit { CHECK_AS_MEASURED, CHECK_PER_STEP, CHECK_PER_SECOND };

struct check_limits {
    double growth; /* bytes per unit, of all that leaks in one process; 0: every leak fails */
    enum check_unit unit;
    uint64_t peak;       /* bytes resident in one process at most; 0: not limited */
    struct allow *allow; /* NULL: nothing is allowed; counts what was used */
};

/* The values are exit codes. */
enum check_outcome { CHECK_PASSED = 0, CHECK_FAILED = 1, CHECK_UNKNOWN = 3 };

const char *check_name(enum check_outcome outcome); /* "passed", "failed", "not-enough-evidence" */

enum check_about { CHECK_GROWTH, CHECK_PEAK, CHECK_EVIDENCE, CHECK_ALLOWED, CHECK_SUPPRESSION };

const char *check_about_name(enum check_about about); /* as in the JSON */

/* One thing that was looked at. Allowed findings, and suppressions that did nothing, are told with
 * the outcome CHECK_PASSED. */
struct check_line {
    enum check_outcome outcome;
    enum check_about about;
    uint32_t pid;     /* 0: no process in particular */
    unsigned finding; /* its number; 0: no finding in particular */
    const char *text;
};

struct check {
    enum check_outcome outcome;
    const char *answer;
    const struct check_line *lines; /* failures first, then what is not known */
    size_t count;
};

/* The result lies in the diagnosis's memory. */
int check_run(struct check *out, const struct diagnosis *d, const struct check_limits *limits,
              struct why *why);

#endif /* TARE_DOCTOR_CHECK_H */
