/* tried.h - compare two runs of one program, without and with a remedy.
 *
 * Remedies that tare can apply from outside are in remedies_try.def, one line each. The comparison needs
 * only the two diagnoses, so it can be repeated later from the directories of the runs.
 */
#ifndef TARE_DOCTOR_TRIED_H
#define TARE_DOCTOR_TRIED_H

#include "doctor/facts/diagnosis.h"

#define TRIED_STEPS 30 /* with fewer ticks in one of the runs they are not compared */

struct try_remedy {
    const char *name;        /* as the user writes it */
    const char *environment; /* NAME=VALUE for the program; NULL: none */
    unsigned request;        /* enum request_kind, sent to every process repeatedly; 0: none */
    const char *says;        /* what the remedy does */
};

const struct try_remedy *try_find(const char *name); /* NULL: not known */
const char *try_names(char *text, size_t size);      /* "trim, arenas=1, gc" */

enum tried_conclusion {
    TRIED_GONE,        /* with the remedy no finding is left */
    TRIED_LESS,        /* some findings are gone, or memory grows less than half as fast */
    TRIED_STILL,       /* the findings are still there */
    TRIED_NOTHING,     /* without the remedy nothing was found, so there is nothing to remedy */
    TRIED_INCOMPARABLE /* one of the runs is too short or undecided, or their clocks differ */
};

const char *tried_name(enum tried_conclusion conclusion); /* "gone", … as in the JSON */

/* One of the two runs: the process that speaks for it. */
struct tried_side {
    enum kind verdict;
    enum clock_id clock; /* CLOCK_NONE: the run has no such process */
    uint64_t steps;      /* ticks of that clock */
    double rate;         /* bytes per tick or second of all its findings together, without notes */
    uint64_t resident_bytes, resident_peak; /* at the end, and the highest */
};

/* A finding of the run without the remedy. */
struct tried_finding {
    unsigned id; /* its number in the report */
    enum kind kind;
    bool gone;            /* the run with the remedy does not have it */
    double before, after; /* bytes per tick or second in each run */
};

struct tried {
    const char *remedy;   /* its name */
    const char *says;     /* what it does; NULL: the remedy is not known */
    struct tried_side before, after;      /* without and with the remedy */
    const struct tried_finding *findings; /* of the run without it */
    size_t finding_count;
    enum tried_conclusion conclusion;
    const char *sentence; /* the conclusion, for people */
    const char *returned; /* what the remedy did, as the adapter reports it; NULL: not known */
};

/* Sets plain->tried to the comparison, in plain's arena. `remedy` may be an unknown name. */
int tried_compare(struct diagnosis *plain, const struct diagnosis *with, const char *remedy,
                  struct why *why);

#endif /* TARE_DOCTOR_TRIED_H */
