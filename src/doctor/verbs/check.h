/* check.h - compare a run with limits: passed, failed, or not enough evidence.
 *
 * A limit on growth has passed or failed only if the whole interval of the measured rate is on one side
 * of it. Notes (growth too small for a finding) never count.
 */
#ifndef TARE_DOCTOR_CHECK_H
#define TARE_DOCTOR_CHECK_H

#include "doctor/verbs/allow.h"
#include "doctor/facts/diagnosis.h"

enum check_unit { CHECK_AS_MEASURED, CHECK_PER_STEP, CHECK_PER_SECOND };

struct check_limits {
    double growth;        /* bytes per `unit` that all leaks of one process may add up to; 0: none may */
    enum check_unit unit; /* step, second, or the unit in which the rate was measured */
    uint64_t peak;        /* the most resident bytes of a process; 0: no limit */
    struct allow *allow;  /* known leaks; NULL: none. check_run counts how often each rule is used */
};

/* The values are exit codes. */
enum check_outcome { CHECK_PASSED = 0, CHECK_FAILED = 1, CHECK_UNKNOWN = 3 };

const char *check_name(enum check_outcome outcome); /* "passed", "failed", "not-enough-evidence" */

enum check_about { CHECK_GROWTH, CHECK_PEAK, CHECK_EVIDENCE, CHECK_ALLOWED, CHECK_SUPPRESSION };

const char *check_about_name(enum check_about about); /* as in the JSON */

/* One result. An allowed finding, or a suppression that matched nothing, has the outcome CHECK_PASSED. */
struct check_line {
    enum check_outcome outcome;
    enum check_about about;
    uint32_t pid;     /* 0: it is about the whole run */
    unsigned finding; /* number of the finding; 0: it is not about one finding */
    const char *text; /* a sentence for people */
};

struct check {
    enum check_outcome outcome;     /* the worst of all lines */
    const char *answer;             /* one sentence about the outcome */
    const struct check_line *lines; /* failures first, then those without enough evidence */
    size_t count;                   /* of lines */
};

/* The result is in the diagnosis's arena. */
int check_run(struct check *out, const struct diagnosis *d, const struct check_limits *limits,
              struct why *why);

#endif /* TARE_DOCTOR_CHECK_H */
