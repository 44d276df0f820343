/* diagnosis.h - what the doctor says of a run: the one structure that every report lays out.
 *
 * Words of findings are made here, in doctor/, once; the forms (text, JSON, …) only lay them out.
 * Every number in a sentence is also a field. All strings are owned by the diagnosis.
 */
#ifndef TARE_DOCTOR_DIAGNOSIS_H
#define TARE_DOCTOR_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct tried; /* doctor/tried.h: a second run, with a remedy */
struct arena; /* base/arena.h: many things freed at once */
struct run;   /* ledger/model.h */

enum kind {
#define KIND(severity, name, spelling, status, says) KIND_##name = severity,
#include "doctor/kinds.def"
#undef KIND
};

const char *kind_name(enum kind kind);
int kind_status(enum kind kind); /* exit code */

struct place {
    const char *file; /* NULL: not known */
    unsigned line;    /* 0: not known */
    const char *function;
    const char *module; /* base name of the object that holds the code */
    const char *text;   /* the source line, trimmed; NULL: the file is not at hand */
    bool user;          /* not part of the C library, the allocator or the C++ runtime */
    bool inlined;
};

struct interval {
    double estimate, low, high; /* bytes per step */
};

struct remedy {
    const char *text, *code, *setting; /* NULL: none */
};

/* Survival by birth step, for the report's picture: how many of the blocks born in a span live. */
struct survival {
    uint64_t first, last; /* ticks of the chosen clock */
    uint64_t born, alive; /* sampled blocks; born counts survivors and those seen to die late */
};

struct finding {
    unsigned id; /* from 1, by severity and rate; stable for one ledger */
    enum kind kind;
    uint32_t site;     /* in the ledger, index + 1: the one with most survivors; 0: none */
    double confidence; /* 0 to 1 */
    bool evicted_nothing; /* "grows; nothing evicted in N steps": a bounded store cannot be excluded */
    bool note;            /* below the floor for a finding: told, but does not decide the verdict */
    struct interval rate;
    uint64_t live_bytes, live_blocks;
    uint64_t since; /* tick of the chosen clock at which the growth began */
    const struct place *allocated_at; /* innermost user frame first */
    size_t allocated_count;
    const struct place *stored_at; /* NULL: not known */
    const char *held_by;           /* NULL: not known */
    const char *summary;           /* one sentence */
    const char **evidence;
    size_t evidence_count;
    struct remedy remedy;
    const struct survival *survival;
    size_t survival_count;
    uint64_t more_steps; /* for undecided: how many more are needed, 0: not known */
};

/* One allocating place of a process, whether or not anything is wrong with it. */
struct site_summary {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    uint64_t live_bytes, live_blocks, born_bytes, peak_bytes; /* estimates */
    double growth; /* bytes per step over the last half of the run */
    bool map;      /* a mapping, not the heap */
};

struct account_line {
    const char *name;
    uint64_t bytes;
    const char *source; /* where the number was measured */
};

/* Something that was not recorded, and how often. */
struct loss {
    const char *what;
    uint64_t count;
};

struct forecast {
    bool known;
    const char *limit; /* which limit is the smallest */
    uint64_t limit_bytes, headroom;
    double steps_low, steps_high, seconds_low, seconds_high;
};

struct process_report {
    uint32_t pid, parent_pid, generation;
    const char *program, *command;
    const char *ended; /* "running", "exit", "killed by SIGKILL", … */
    enum kind verdict;
    double confidence;
    const char *answer; /* "Does it leak?" in one sentence */
    const char *clock;      /* spelling of the chosen clock */
    const char *clock_reason;
    uint64_t clock_count;
    double seconds;
    uint64_t resident_bytes, resident_peak, live_bytes, live_blocks, mapped_bytes, shared_bytes;
    uint64_t allocated_bytes, allocated_blocks, threads;
    const struct account_line *account;
    size_t account_count;
    int64_t account_remainder;
    uint64_t untouched_bytes; /* of live blocks: asked for, never written, so not resident */
    uint64_t peak_bytes, peak_step;
    const struct site_summary *peak_sites; /* by peak_bytes */
    const struct site_summary *live_sites; /* by live_bytes */
    const struct site_summary *growing_sites; /* by growth */
    size_t peak_site_count, live_site_count, growing_site_count;
    struct forecast forecast;
    const struct finding *findings; /* severest first */
    size_t finding_count;
    const char **notes;
    size_t note_count;
    const struct loss *losses;
    size_t loss_count;
    const char *allocator;   /* the object that holds the program's malloc; "": not known */
    uint64_t rate;           /* mean bytes between samples, as last set */
    uint64_t samples;        /* blocks sampled in all */
    uint64_t steps;          /* intervals seen, of whatever clock */
    uint64_t inherited_bytes; /* live bytes that a forked child got from its parent */
    double pause_seconds;    /* all pauses made on request */
};

struct diagnosis {
    enum kind verdict;
    double confidence;
    const char *answer;
    const struct process_report *processes; /* in the order of the tree: parents before children */
    size_t process_count;
    const char **notes; /* about the run: OOM kill, orphans, unreadable ledgers, untraced programs */
    size_t note_count;
    double seconds;
    const struct tried *tried; /* NULL: no remedy was tried */
    struct arena *arena; /* owns everything above */
};

/* Judges a run. `source_root`: where to look for source files first, NULL: their own paths. */
int diagnose(struct diagnosis *out, const struct run *run, struct why *why);
void diagnosis_free(struct diagnosis *diagnosis);

#endif /* TARE_DOCTOR_DIAGNOSIS_H */
