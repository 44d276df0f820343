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

struct finding;
bool finding_leaks(const struct finding *finding); /* it grows without end, or is a note of that */

struct place {
    const char *file; /* NULL: not known */
    unsigned line;    /* 0: not known */
    const char *function;
    const char *module; /* base name of the object that holds the code */
    const char *text;   /* the source line, trimmed; NULL: the file is not at hand */
    bool changed;       /* there is no text because the file is not as it was during the run */
    bool user;          /* not part of the C library, the allocator or the C++ runtime */
    bool inlined;
    const char *script;   /* where a source map has told `file`: what was run; else NULL */
    unsigned script_line; /* in that one */
};

/* One step of the way from a root to what is held, where the language knows its objects. */
struct holder_step {
    uint32_t kind; /* enum owner_kind */
    const char *name, *type, *file; /* "": none; type: of the object that the step leads to */
    unsigned line, column;          /* in `file`; 0: not known */
    uint64_t number;                /* of an element */
    uint64_t length, bound;         /* of the container that it leads to; bound 0: none declared */
    uint64_t hits, misses;          /* of a cache that counts them */
};

/* The statement at `stored_at`, in the words of the source. "": has none of this. */
struct store {
    const char *operation; /* append, …, item, attribute, variable, +=, register, cache, call */
    const char *container, *key, *stored;
    const char *head, *tail; /* the statement before and after what it stores; "" both: not known */
    bool again;  /* a variable's new value is made of its old one */
    bool single; /* a tensor of one element */
    bool slice;  /* what is stored is cut out of something larger */
};

/* An array or tensor, where the search for holders met one before the block. */
struct array_facts {
    const char *library; /* "numpy", "torch" */
    const char *dtype;   /* "float32"; "": another type */
    const char *shape;   /* "[32, 64]" */
    uint64_t elements, bytes; /* bytes of all elements: as far as this array shows the block */
    uint64_t rows;            /* size of the first dimension; 0: it has none */
};

/* What keeps the memory that a step leaves behind; of a finding and of the table of a model's bytes. */
enum keeper {
#define KEEPER(number, name, what, unbounded, returned) KEEPER_##name = number,
#include "doctor/keepers.def"
#undef KEEPER
};

/* One line of that table. */
struct keeping {
    enum keeper keeper;
    const char *name;      /* "program" */
    const char *what;      /* in words */
    double bytes;          /* per tick of the clock */
    bool unbounded;        /* it goes on for as long as the program does */
    const char *returned;  /* by what */
    const char *held_by;   /* of the largest finding; NULL: not known */
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
    bool left;            /* it is shared memory that is unmapped, and its name was not removed */
    bool evicted_nothing; /* "grows; nothing evicted in N steps": a bounded store cannot be excluded */
    bool heap;            /* it is the heap of a managed language itself that grows */
    bool endless;         /* of gc-lag: the collector is switched off, so that it grows as a leak does */
    bool note;            /* below the floor for a finding: told, but does not decide the verdict */
    struct interval rate;
    uint64_t live_bytes, live_blocks;
    uint64_t since; /* tick of the chosen clock at which the growth began */
    const struct place *allocated_at; /* innermost user frame first */
    size_t allocated_count;
    const struct place *stored_at; /* NULL: not known */
    const struct store *store;     /* how it is stored there; NULL: not known */
    const char *held_by;           /* NULL: not known */
    const char *unsearched;        /* why that was not searched for; NULL: it was, or nobody asked */
    const struct holder_step *holder_path; /* from a root to what is held */
    size_t holder_count;                   /* 0: not known */
    size_t holder_growing;                 /* the container that grows; SIZE_MAX: none */
    const struct array_facts *array;       /* what one of the blocks is; NULL: not known */
    const char *summary;           /* one sentence */
    const char **evidence;
    size_t evidence_count;
    struct remedy remedy;
    const struct survival *survival;
    size_t survival_count;
    uint64_t more_steps; /* for undecided: how many more are needed, 0: not known */
    enum keeper keeper;  /* 0: as its kind and its holder say */
};

/* One allocating place of a process, whether or not anything is wrong with it. */
struct site_summary {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    uint64_t live_bytes, live_blocks, born_bytes, peak_bytes; /* estimates */
    double growth; /* bytes per step over the last half of the run */
    bool map;      /* a mapping, not the heap */
};

/* A line that made much of the peak. */
struct peak_part {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    uint64_t bytes, blocks;     /* at the peak, estimated */
    uint64_t kept;              /* bytes alive at the last step */
    const char *held_by;        /* NULL: not known */
    const char *variable;       /* as the program writes it: "data", "self.images"; NULL: not known */
    const struct array_facts *array; /* NULL: not known */
    bool before_steps;          /* all made no later than the first step */
    bool outlives;              /* alive through all steps */
};

/* What could be changed, and what that saves, computed from this run. */
struct peak_saving {
    const char *text, *code; /* code: NULL: none */
    uint64_t bytes, remains; /* of the parts of the finding */
    bool lowers_peak;        /* false: it lowers what stays, and the peak only if that comes later */
};

enum peak_kind {
#define PEAK(number, name, says) PEAK_##name = number,
#include "doctor/peaks.def"
#undef PEAK
};

const char *peak_kind_name(enum peak_kind kind);

/* Advice about the high-water mark. It never changes the verdict. */
struct peak_finding {
    enum peak_kind kind;
    const char *summary;
    struct peak_part parts[2];
    size_t part_count;
    uint64_t bytes; /* of all parts, at the peak */
    const struct peak_saving *savings;
    size_t saving_count;
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

/* The kernel killed for want of memory, or an engine gave up because its heap was full. */
enum ran_out { RAN_OUT_NOT, RAN_OUT_PROCESS, RAN_OUT_HEAP, RAN_OUT_RUN };

struct forecast {
    bool known;
    enum ran_out ran_out; /* what was to be foretold has happened; not known then */
    const char *limit; /* which limit is the smallest */
    uint64_t limit_bytes, headroom;
    double steps_low, steps_high, seconds_low, seconds_high;
};

/* A part of the run in which one thing counted the work. */
struct phase_summary {
    const char *kind;          /* "start": nothing ticked yet, "steps", or "loop" */
    const struct place *place; /* where the loop begins; NULL: none, or not known */
    uint64_t turns;            /* of the loop, as far as they were seen */
    uint64_t times;            /* that it came */
    double seconds;
    int64_t kept; /* bytes that there were more at its end than at its beginning */
    bool over;    /* a loop, and other work has followed */
    bool judged;  /* the verdict is about this one */
};

struct process_report {
    uint32_t pid, parent_pid, generation;
    const char *program, *command;
    const char *ended; /* "running", "exit", "killed by SIGKILL", … */
    enum kind verdict;
    double confidence;
    const char *answer; /* "Does it leak?" in one sentence */
    bool endless;       /* as of its first finding */
    bool early;         /* too little was seen to say anything: verdict is undecided */
    const char *clock;      /* spelling of the chosen clock */
    const char *clock_reason;
    uint64_t clock_count;
    const struct phase_summary *phases; /* in the order in which they began */
    size_t phase_count;
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
    const struct peak_finding *peak_findings; /* largest first */
    size_t peak_finding_count;
    const struct keeping *keepings; /* where models are the clock: what each leaves, by what keeps it */
    size_t keeping_count;
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

/* Ended processes that had nothing to report, and whose ledgers were removed to save disk. */
struct folded {
    size_t processes;
    uint64_t steps;      /* of all together */
    uint64_t peak_bytes; /* of the largest */
};

/* A process of the run that no probe watched, and that lived long enough to matter. */
struct unwatched_process {
    uint32_t pid;
    const char *name;   /* as the kernel has it, cut short */
    const char *reason; /* why: the rest of a sentence after a colon */
    double seconds;     /* that it was seen to live */
    size_t others;      /* such processes beside it, which lived no longer */
};

struct diagnosis {
    enum kind verdict;
    int status; /* exit code */
    double confidence;
    const char *answer;
    const struct process_report *processes; /* in the order of the tree: parents before children */
    size_t process_count;
    const char **notes; /* about the run: OOM kill, orphans, unreadable ledgers, untraced programs */
    size_t note_count;
    double seconds;
    struct folded folded;
    const struct unwatched_process *unwatched; /* the one that lived longest; NULL: there is none */
    const struct tried *tried; /* NULL: no remedy was tried */
    struct arena *arena; /* owns everything above */
};

/* Judges a run. `source_root`: where to look for source files first, NULL: their own paths. */
int diagnose(struct diagnosis *out, const struct run *run, struct why *why);
void diagnosis_free(struct diagnosis *diagnosis);

#endif /* TARE_DOCTOR_DIAGNOSIS_H */
