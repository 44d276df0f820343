/* compare.h - two runs of a program, before and after a change: what is fixed, new, or different.
 *
 * Findings are matched by the function that allocates, since lines move when code changes. What is
 * no longer found counts as fixed only if the second run would have shown it: judged by the same
 * clock, decided, and long enough for the rules to have seen growth of that size.
 */
#ifndef TARE_DOCTOR_COMPARE_H
#define TARE_DOCTOR_COMPARE_H

#include "doctor/facts/diagnosis.h"

enum change {
    CHANGE_NEW,      /* not there before */
    CHANGE_WORSE,    /* its interval lies above the one before */
    CHANGE_UNPROVEN, /* the second run cannot tell */
    CHANGE_FIXED,
    CHANGE_BETTER,
    CHANGE_SAME
};

const char *change_name(enum change change); /* "new", "worse", … as in the JSON */

struct compared {
    enum change change;
    const struct finding *before, *after; /* NULL: not there; borrowed from the diagnoses */
    const char *unit;                     /* of the rates: "step", "second" */
    uint64_t needed; /* of a finding that is gone: steps that would have shown it; 0: not gone */
    const char *text;
};

/* One of the two runs: the process that speaks for it. */
struct compared_side {
    enum kind verdict;
    const char *answer;
    enum clock_id clock;
    uint64_t steps, resident_peak;
    struct interval leak; /* all leaks of all processes, notes left out */
};

struct comparison {
    struct compared_side before, after;
    const struct compared *findings; /* in the order of enum change */
    size_t count;
    int status; /* exit code: 1 something new or worse leaks, 3 something cannot be told, else 0 */
    const char *answer;
};

/* Everything lies in the second diagnosis's memory, and borrows from both. */
int compare_runs(struct comparison *out, const struct diagnosis *before,
                 const struct diagnosis *after, struct why *why);

#endif /* TARE_DOCTOR_COMPARE_H */
