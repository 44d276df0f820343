/* compare.h - two runs of a program, before and after a change: what is fixed, new or different.
 *
 * Findings are matched by the function that allocates, because lines move when code changes. A finding
 * that is missing in the second run counts as fixed only if that run would have shown it: it has the same
 * clock, it is decided, and it is long enough for the rules to detect growth of that size.
 */
#ifndef TARE_DOCTOR_COMPARE_H
#define TARE_DOCTOR_COMPARE_H

#include "doctor/facts/diagnosis.h"

enum change {
    CHANGE_NEW,      /* only the second run has it */
    CHANGE_WORSE,    /* the interval of its rate is above that of the first run */
    CHANGE_UNPROVEN, /* the second run does not have enough evidence */
    CHANGE_FIXED,    /* only the first run has it, and the second would have shown it */
    CHANGE_BETTER,   /* the interval of its rate is below that of the first run */
    CHANGE_SAME      /* the intervals overlap */
};

const char *change_name(enum change change); /* "new", "worse", … as in the JSON */

struct compared {
    enum change change;
    const struct finding *before, *after; /* borrowed from the diagnoses; NULL: not in this run */
    const char *unit;                     /* of the rates: "step", "second" */
    uint64_t needed;  /* if only `before` is set: steps that would have shown it; else 0 */
    const char *text; /* a sentence for people */
};

/* One of the two runs: the process that speaks for it. */
struct compared_side {
    enum kind verdict;      /* of the run */
    const char *answer;     /* of the run */
    enum clock_id clock;    /* CLOCK_NONE: no process speaks for the run */
    uint64_t steps;         /* ticks of that clock */
    uint64_t resident_peak; /* bytes; the highest of all processes */
    struct interval leak;   /* sum of all leaks of all processes, without notes */
};

struct comparison {
    struct compared_side before, after;
    const struct compared *findings; /* in the order of enum change */
    size_t count;                    /* of findings */
    int status;         /* exit code. 1: something new or worse leaks; 3: something is unproven; else 0 */
    const char *answer; /* one sentence */
};

/* The result is in the arena of the second diagnosis, and refers to both. */
int compare_runs(struct comparison *out, const struct diagnosis *before,
                 const struct diagnosis *after, struct why *why);

#endif /* TARE_DOCTOR_COMPARE_H */
