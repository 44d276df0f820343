/* tried.h - a remedy tried: two runs of one program, without it and with it, compared.
 *
 * Remedies that can be applied from outside are in remedies_try.def, one line each. The comparison
 * is made from the two diagnoses alone, so that it can be made again later from what the runs left.
 */
#ifndef TARE_DOCTOR_TRIED_H
#define TARE_DOCTOR_TRIED_H

#include "doctor/facts/diagnosis.h"

#define TRIED_STEPS 30 /* with fewer ticks in either run nothing is concluded */

struct try_remedy {
    const char *name;        /* as the user writes it */
    const char *environment; /* NAME=VALUE for the program; NULL: none */
    unsigned request;        /* put to every process again and again, enum request_kind; 0: none */
    const char *says;        /* what it does */
};

const struct try_remedy *try_find(const char *name); /* NULL: not known */
const char *try_names(char *text, size_t size);      /* "trim, arenas=1, gc" */

enum tried_conclusion {
    TRIED_GONE,        /* nothing of what was found is left */
    TRIED_LESS,        /* some of it is, or it grows by less than half as much */
    TRIED_STILL,       /* it is still there */
    TRIED_NOTHING,     /* nothing was found without it: there is nothing to remedy */
    TRIED_INCOMPARABLE /* one of the runs was too short or not decided */
};

const char *tried_name(enum tried_conclusion conclusion); /* "gone", … as in the JSON */

/* One of the two runs: the process that speaks for it. */
struct tried_side {
    enum kind verdict;
    enum clock_id clock;
    uint64_t steps;
    double rate; /* bytes per tick or second of all findings together, notes left out */
    uint64_t resident_bytes, resident_peak;
};

/* A finding of the run without the remedy. */
struct tried_finding {
    unsigned id;
    enum kind kind;
    bool gone;
    double before, after; /* bytes per tick or second */
};

struct tried {
    const char *remedy, *says;
    struct tried_side before, after;
    const struct tried_finding *findings;
    size_t finding_count;
    enum tried_conclusion conclusion;
    const char *sentence;
    const char *returned; /* what the adapter says that the remedy has done; NULL: nothing is known */
};

/* Puts the comparison into plain->tried, in plain's memory. `remedy`: its name, perhaps unknown. */
int tried_compare(struct diagnosis *plain, const struct diagnosis *with, const char *remedy,
                  struct why *why);

#endif /* TARE_DOCTOR_TRIED_H */
