/* diagnosis.h - the result of judging a run: the one structure that every report form prints.
 *
 * Rules fill in numbers, enums and facts. doctor/say/ turns them into sentences, once. The forms
 * (text, JSON and others) only lay the sentences out. Every number in a sentence is also a field.
 * The diagnosis owns all strings.
 */
#ifndef TARE_DOCTOR_DIAGNOSIS_H
#define TARE_DOCTOR_DIAGNOSIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "doctor/facts/fact.h"
#include "doctor/facts/stats.h"
#include "doctor/facts/remedy.h"
#include "ledger/layout.h"

struct tried; /* doctor/verbs/tried.h: a second run, with a remedy */
struct arena; /* base/arena.h: many things freed at once */
struct run;   /* ledger/model.h */

enum kind {
#define KIND(severity, name, spelling, status, says) KIND_##name = severity,
#include "doctor/facts/kinds.def"
#undef KIND
};

const char *kind_name(enum kind kind);
int kind_status(enum kind kind); /* exit code */

struct finding;
bool finding_leaks(const struct finding *finding); /* it grows without limit, also if it is a note */

/* The language of a function. The HTML page (report/view_stacks.c) uses these numbers. */
#define LANGUAGES(LANGUAGE)                                                                        \
    LANGUAGE(NATIVE, "native")                                                                     \
    LANGUAGE(PYTHON, "python")                                                                     \
    LANGUAGE(JAVASCRIPT, "javascript")

enum language {
#define LANGUAGE(name, spelling) LANGUAGE_##name,
    LANGUAGES(LANGUAGE)
#undef LANGUAGE
};

const char *language_name(enum language language); /* "native", "python", "javascript" */

struct place {
    const char *file; /* NULL: not known */
    unsigned line;    /* 0: not known */
    const char *function;
    const char *module; /* base name of the object file that holds the code; for a script language_name */
    enum language language;
    const char *text;   /* the source line, trimmed; NULL: the file is not available */
    bool changed;       /* `text` is NULL because the file has changed since the run */
    bool user;          /* not part of the C library, the allocator or the C++ runtime */
    bool inlined;
    bool library;       /* of a native program: code of an installed library */
    const char *script;   /* the script that ran, if `file` comes from a source map; else NULL */
    unsigned script_line; /* line in `script` */
};

bool place_same(const struct place *a, const struct place *b); /* by line, file, function; may be NULL */
bool place_same_line(const struct place *a, const struct place *b); /* false if the file is not known */

/* A function of native code between the line of the user and the allocation. */
struct native_place {
    const char *module;   /* base name of the object file; NULL: code made at run time */
    uint64_t offset;      /* of the return address, from the base of the module */
    const char *function; /* NULL: not known */
    uint64_t beyond;      /* not 0: `function` is the nearest name before the code, by so many bytes */
    const char *file;     /* NULL: not known */
    unsigned line;        /* 0: not known */
    const char *package, *version; /* NULL: no installed package is known */
    bool installed;       /* part of the system or of a package, not of the program */
    bool packaged;        /* part of an installed package of Python or Node */
    bool serves;          /* the C library, an allocator or a runtime: it allocates for its caller */
    bool foreign;         /* it calls what the program names (libffi) */
};

/* One step of the path from a root to the held block, in a language that knows its objects. */
struct holder_step {
    uint32_t kind; /* enum owner_kind */
    const char *name, *type, *file; /* "": none; `type` is the type of the object the step leads to */
    unsigned line, column;          /* in `file`; 0: not known */
    uint64_t number;                /* the index, if the step leads through an element */
    uint64_t length, bound;         /* of the container the step leads to; bound 0: none declared */
    uint64_t hits, misses;          /* of the cache the step leads to, if it counts them */
};

/* Whole lines of a file, and how code goes there. */
struct fix_span {
    enum fix_where where; /* FIX_NOWHERE: there is no such place */
    unsigned first, last; /* lines of the file of `stored_at` */
};

/* The statement at `stored_at`, as the source has it. "": the statement has no such part. */
struct store {
    const char *operation; /* for example append, item, attribute, variable, +=, register, cache, call */
    const char *container, *key, *stored;
    const char *head, *tail; /* the statement's text before and after `stored`; both "": not known */
    bool again;  /* the variable's new value is computed from its old one */
    bool single; /* the stored value is a tensor of one element */
    bool slice;  /* the stored value is a slice of something larger */
    const char *type;    /* of the container, with its module; "": not known */
    const char *value;   /* measured type of the stored value, with its module; "": not known */
    unsigned length;     /* entries that the container had; 0: not known */
    bool object;         /* the source calls methods of what the container holds */
    bool graph;          /* the source computes gradients from what the container holds */
    bool indexed;        /* the source counts the container's elements from the start */
    bool removed;        /* the source removes single elements of it, so they must be there */
    bool joins;          /* the variable's new value is its old one, and more behind it */
    bool none;           /* the stored value may be None */
    const char *header, *initial; /* the function's header without its default, and that default */
    const char *limited, *imports; /* the decorator that takes a limit; the import it needs, as a line */
    const char *carried; /* the variable that the loop hands to its next turn */
    const char *assigned, *module, *called; /* of "assigned = module.called()" */
    const char *imported; /* modules that the file has imported, each between blanks */
    struct fix_span spans[FIX_LINES]; /* where code may go; indexed by enum fix_lines */
};

/* The array or tensor that the search for holders found just before the block. */
struct array_facts {
    enum array_kind kind;
    const char *library; /* "numpy", "torch" */
    const char *dtype;   /* "float32"; "": another type */
    const char *shape;   /* "[32, 64]" */
    uint64_t elements, bytes; /* bytes of all elements that this array sees of the block */
    uint64_t rows;            /* size of the first dimension; 0: the array has no dimension */
};

/* What keeps the memory that a step does not release. Findings and the table of bytes per model
 * use it. */
enum keeper {
#define KEEPER(number, name, what, unbounded, returned) KEEPER_##name = number,
#include "doctor/facts/keepers.def"
#undef KEEPER
};

/* One line of the table of bytes per model. */
struct keeping {
    enum keeper keeper;
    const char *name;      /* "program" */
    const char *what;      /* a description */
    double bytes;          /* per tick of the clock */
    bool unbounded;        /* it grows for as long as the program runs */
    const char *returned;  /* what releases the memory */
    size_t largest;        /* index + 1 of the finding that names its holder; 0: none */
    const char *held_by;   /* holder of the finding `largest`; NULL: not known */
};

struct interval {
    double estimate, low, high; /* bytes per step */
};

struct interval interval_in_order(struct interval interval); /* its bounds contain the estimate */

struct remedy {
    const char *text, *code, *setting; /* NULL: none; `code` may have several lines */
    const char *file;     /* where the code goes, if it goes somewhere: a file */
    struct fix_span span; /* and its lines */
};

const char *fix_where_name(enum fix_where where); /* as in the JSON: "replace", …; NULL: nowhere */

/* Where memory is. */
enum memory { MEMORY_HOST, MEMORY_DEVICE };

const char *memory_name(enum memory memory); /* "host", "device" */

/* Survival by birth step, for the report's picture: how many blocks born in a span are still
 * alive. */
struct survival {
    uint64_t first, last; /* ticks of the chosen clock */
    uint64_t born, alive; /* sampled blocks; `born` counts survivors and blocks that died late */
};

/* A line that makes part of what a finding is about. */
struct made_line {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    double rate; /* bytes per tick of the finding's rate */
    uint64_t live_bytes, live_blocks;
};

/* Why a finding is only a note. */
enum demotion {
    DEMOTED_none,
#define DEMOTION(name, spelling, says) DEMOTED_##name,
#include "doctor/facts/demotions.def"
#undef DEMOTION
};

const char *demotion_name(enum demotion demotion); /* as in the JSON; NULL: the finding is not a note */

struct finding {
    unsigned id; /* counts from 1 in its process, by severity and rate; stable for one ledger */
    unsigned number; /* counts from 1 in the whole run (doctor/run/number.h); 0: not numbered yet */
    enum kind kind;
    uint32_t site;     /* index + 1 of the ledger's site with most survivors; 0: none */
    enum memory memory; /* where its memory is */
    unsigned device;    /* MEMORY_DEVICE: the number of the device */
    struct interval host_rate; /* MEMORY_DEVICE: growth of the host's records of it; all 0: none seen */
    double confidence; /* 0 to 1 */
    bool left;            /* it is shared memory that was unmapped, but its name was not removed */
    bool evicted_nothing; /* nothing was released in N steps, so a bounded store cannot be excluded */
    bool heap;            /* the heap of a managed language grows */
    bool endless;         /* gc-lag only: the collector is switched off, so it grows like a leak */
    enum demotion demoted; /* why it is only a note; DEMOTED_none: it is not a note */
    bool note;            /* it is reported, but does not affect the verdict; only demote() sets this */
    struct interval rate;
    struct slope counted; /* its part of the visit's growth, in bytes per tick */
    uint64_t live_bytes, live_blocks;
    uint64_t since; /* tick of the chosen clock at which growth began */
    const struct place *allocated_at; /* of its largest line: innermost user frame first */
    size_t allocated_count;
    const struct place *library_at; /* functions of libraries that the first of allocated_at called: innermost
                                     * first */
    size_t library_count;
    const struct native_place *native; /* what those called in native code: innermost first */
    size_t native_count;
    const char *library; /* the package that lost the memory, with its version; NULL: not known to be one */
    const char *made_in; /* `native` in words; NULL: there is none */
    const struct made_line *made_at; /* all its lines, the largest first */
    size_t made_count;            /* 0: no line is known */
    const struct place *stored_at; /* NULL: not known */
    bool sought;                   /* the source was searched for stored_at */
    const struct store *store;     /* the statement at stored_at; NULL: not known */
    const char *held_by;           /* the holder, in words; NULL: not known */
    enum tensor_holder tensor_holder; /* tensors only: why their engine still has them */
    /* The holder, if a rule names it and not a path. say/ sets held_by from it. */
    struct fact holder;
    /* enum unsearched: why there was no search for holders. 0: there was one, or this is not known. */
    uint32_t unsearched_why;
    uint64_t unsearched_pause;     /* nanoseconds that the search would have taken; 0: not known */
    uint64_t unsearched_most;      /* nanoseconds that it was allowed to take; 0: not known */
    const char *unsearched;        /* why there was no search; NULL: there was one, or none was requested */
    const struct holder_step *holder_path; /* from a root to the held block */
    size_t holder_count;                   /* steps of holder_path; 0: not known */
    size_t holder_growing;                 /* step of the container that grows; SIZE_MAX: none */
    const struct array_facts *array;       /* describes one of the blocks; NULL: not known */
    struct fact headline;          /* what the finding is; `summary` is its sentence */
    struct fact facts[FACTS_MAX];  /* what was measured; `evidence` has their sentences */
    unsigned fact_count;
    enum remedy_name advice;       /* what to change; `remedy` has the words */
    const char *advice_code;       /* replaces the code of the advice; NULL: the advice's own code */
    const char *summary;           /* one sentence */
    const char **evidence;
    size_t evidence_count;
    struct remedy remedy;
    const struct survival *survival;
    size_t survival_count;
    uint64_t more_steps; /* undecided only: how many more steps are needed; 0: not known */
    enum keeper keeper;  /* 0: derived from its kind and its holder */
    /* The function whose repeated compilation made the blocks. Borrowed from the ledger; NULL: none. */
    const struct model_trace *compiles;
};

/* Turns the finding into a note. DEMOTED_none makes it a full finding again. */
void demote(struct finding *finding, enum demotion demotion);

/* Appends a fact to this finding. FACT_none adds nothing. */
void fact_add(struct finding *finding, struct fact fact);

/* Removes every fact with this id. */
void fact_drop(struct finding *finding, enum fact_id id);

/* Sets the advice of this finding and replaces the advice chosen before. */
void advise(struct finding *finding, enum remedy_name advice);

/* One allocation site of a process, whether or not anything is wrong with it. */
struct site_summary {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    uint64_t live_bytes, live_blocks, born_bytes, peak_bytes; /* estimates */
    double growth; /* bytes per step over the last half of the run */
    bool map;      /* the site makes mappings, not heap blocks */
};

/* A line that made much of the peak. */
struct peak_part {
    const struct place *places; /* innermost user frame first */
    size_t place_count;
    uint64_t bytes, blocks;     /* at the peak, estimated */
    uint64_t kept;              /* bytes still alive at the last step */
    const char *held_by;        /* NULL: not known */
    const char *variable;       /* as the program writes it: "data", "self.images"; NULL: not known */
    const struct array_facts *array; /* NULL: not known */
    bool before_steps;          /* all blocks were made by the end of the first step */
    bool outlives;              /* the blocks live through all steps */
};

/* A possible change and what it saves, computed from this run. */
struct peak_saving {
    const char *text, *code; /* code NULL: none */
    uint64_t bytes, remains; /* bytes of the finding's parts that it saves, and that remain */
    bool lowers_peak;        /* false: it lowers what stays allocated, so only a later peak */
};

enum peak_kind {
#define PEAK(number, name, says) PEAK_##name = number,
#include "doctor/facts/peaks.def"
#undef PEAK
};

const char *peak_kind_name(enum peak_kind kind);

/* Advice about the memory peak. It never changes the verdict. */
struct peak_finding {
    enum peak_kind kind;
    const char *summary;
    struct peak_part parts[2];
    size_t part_count;
    uint64_t bytes; /* of all parts together, at the peak */
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

/* What one kind of measuring cost: ledger/layout.h, cost_kind and cost_record. */
struct cost_line {
    uint64_t count, refused, bytes;
    double program_seconds, copy_seconds;  /* of processor time */
    double pause_seconds, longest_seconds; /* of all pauses, and of the longest one */
};

struct cost_summary {
    struct cost_line kinds[COST_KINDS];    /* by enum cost_kind */
    uint64_t bytes;                        /* of all kinds, like the next two */
    double program_seconds, copy_seconds;
    double pause_seconds, longest_seconds; /* of all kinds but the wait before the end */
    double wait_seconds;                   /* how long the last round kept the program waiting */
};

/* Processor time of the whole run; 0: not known. */
struct effort {
    double program_seconds; /* of the program and of the children that it waited for */
    double tare_seconds;    /* of `tare run` while it watched */
    double look_seconds;    /* the part of it that went into judging ledgers and asking */
    uint64_t looks;         /* how often a ledger was judged */
};

/* Whether memory ran out: the kernel killed a process, or an engine gave up because its heap was
 * full. */
enum ran_out { RAN_OUT_NOT, RAN_OUT_PROCESS, RAN_OUT_HEAP, RAN_OUT_RUN };

struct forecast {
    bool known;
    enum ran_out ran_out; /* memory has already run out; `known` is false then */
    const char *limit; /* name of the limit that is reached first */
    uint64_t limit_bytes, headroom;
    double steps_low, steps_high, seconds_low, seconds_high;
};

/* The memory of one device at the last step. What is taken is in use, or free in a framework's pool. */
struct device_summary {
    unsigned index;           /* its number among the devices of the process */
    const char *name;         /* NULL: not known */
    bool seen;                /* each block was seen; else the numbers are the framework's own count */
    uint64_t memory;          /* bytes of memory that it has; 0: not known */
    uint64_t used, taken;     /* bytes in use; bytes taken from the driver */
    uint64_t most, blocks;    /* the most bytes in use at any time; blocks in use */
    uint64_t pool, pool_used; /* the part of `taken` and of `used` that belongs to a framework's pool */
    bool asked;               /* the framework was asked about its pool; else the fields below are 0 */
    uint64_t returnable;      /* free bytes of the pool that it could return to the driver */
    uint64_t pinned;          /* free bytes of the pool that blocks in use keep there */
    const struct place *pinned_by; /* where the block was made that keeps most of them; NULL: not known */
    uint64_t roles[DEVICE_ROLES]; /* bytes by enum device_role; 0: not known */
    uint64_t failed_bytes;    /* the latest request that the driver refused; 0: none */
    uint64_t failed_used, failed_taken, failed_free; /* in use, taken and free when that was */
    uint64_t failed_ordinal;  /* the interval in which that was */
    const struct site_summary *sites; /* by live_bytes */
    size_t site_count;
};

/* What one rule said, in words. */
struct trail_line {
    const char *text;
    const struct place *place; /* the line that it is about; NULL: it is about the process */
};

/* A phase: a part of the run in which one clock counts the work. */
const char *phase_kind_name(uint32_t kind); /* "start", "steps", "loop" */

struct phase_summary {
    uint32_t kind;             /* enum phase_kind: nothing ticked yet, steps, or a loop */
    const struct place *place; /* where the loop begins; NULL: none, or not known */
    uint64_t turns;            /* turns of the loop that were seen */
    uint64_t times;            /* how often the phase occurred */
    double seconds;
    int64_t kept; /* growth in bytes from its beginning to its end */
    bool over;    /* it is a loop, and other work has followed it */
    bool judged;  /* the verdict is about this phase */
};

/* How a process ended. NULL: the sentence needs a number. */
#define ENDINGS(ENDING)                                                                            \
    ENDING(NOT_KNOWN, NULL)                                                                        \
    ENDING(RUNNING, "running")                                                                     \
    ENDING(UNRECORDED, "running or killed: no orderly end is recorded")                            \
    ENDING(EXEC, "became another program (exec)")                                                  \
    ENDING(NO_MEMORY, "killed by the kernel's OOM killer")                                   \
    ENDING(SIGNAL, NULL)                                                                           \
    ENDING(STATUS, NULL)                                                                           \
    ENDING(EXIT, "exit")                                                                           \
    ENDING(ABRUPT, "ended without leaving in order (killed, or a raw exit)")

enum ending {
#define ENDING(name, words) ENDING_##name,
    ENDINGS(ENDING)
#undef ENDING
};

const char *ending_words(enum ending ending); /* NULL: the sentence needs the signal number or the status */

struct process_report {
    uint32_t pid, parent_pid, generation;
    const char *program, *command;
    enum ending ending;
    int ending_number; /* the signal of ENDING_SIGNAL, the status of ENDING_STATUS; else 0 */
    const char *ended; /* `ending` in words: "running", "exit", "killed by SIGKILL" */
    enum kind verdict;
    double confidence;
    const char *answer; /* "Does it leak?" in one sentence */
    bool endless;       /* copied from its first finding */
    const struct device_summary *devices; /* by number */
    size_t device_count;
    bool device_unmeasured; /* it uses a device whose memory nothing measured, so it is never clean */
    bool early;         /* too little was seen to judge; the verdict is undecided */
    bool speaks;        /* it speaks for the run (doctor/run/headline.h) */
    bool passed_over;   /* too little was seen of it to list it beside the one that speaks */
    bool launcher;      /* it only started the program: a shell, a wrapper; it is passed over */
    enum clock_id clock; /* the chosen clock */
    const char *clock_reason;
    uint64_t clock_count;
    const struct phase_summary *phases; /* in the order in which they began */
    size_t phase_count;
    uint64_t start_time, end_time; /* nanoseconds of the monotonic clock */
    double seconds;
    uint64_t resident_bytes, resident_peak, live_bytes, live_blocks, mapped_bytes, shared_bytes;
    uint64_t allocated_bytes, allocated_blocks, threads;
    const struct account_line *account;
    size_t account_count;
    int64_t account_remainder;
    uint64_t untouched_bytes; /* bytes of live blocks that were never written, so are not resident */
    uint64_t peak_bytes, peak_step;
    const struct site_summary *peak_sites; /* by peak_bytes */
    const struct site_summary *live_sites; /* by live_bytes */
    const struct site_summary *growing_sites; /* by growth */
    size_t peak_site_count, live_site_count, growing_site_count;
    const struct peak_finding *peak_findings; /* largest first */
    size_t peak_finding_count;
    const struct keeping *keepings; /* if models are the clock: bytes each model leaves, by keeper */
    size_t keeping_count;
    struct forecast forecast;
    const struct finding *findings; /* most severe first */
    size_t finding_count;
    const struct trail_line *trail; /* what each rule said, in the order of the rules */
    size_t trail_count;
    const char **notes;
    size_t note_count;
    const char *remedy_note; /* what a remedy of --try did, as the adapter reports it; NULL: nothing */
    const struct loss *losses;
    size_t loss_count;
    const char *allocator;   /* the object file that holds the program's malloc; "": not known */
    uint64_t rate;           /* mean bytes between samples, as last set */
    uint64_t samples;        /* total number of sampled blocks */
    uint64_t steps;          /* intervals seen, of any clock */
    uint64_t inherited_bytes; /* live bytes that a forked child inherited from its parent */
    double pause_seconds;    /* total length of the pauses that tare requested */
    const struct cost_summary *cost; /* NULL: not known */
};

/* Processes that ended with nothing to report. Their ledgers were removed to save disk. */
struct folded {
    size_t processes;
    uint64_t steps;      /* sum over all of them */
    uint64_t peak_bytes; /* peak of the largest one */
};

/* A process of the run that no probe watched, and that lived long enough to matter. */
struct unwatched_process {
    uint32_t pid;
    const char *name;   /* the kernel's name for it, truncated */
    const char *reason; /* why it was not watched: the part of a sentence after the colon */
    double seconds;     /* how long it was seen to live */
    size_t others;      /* further unwatched processes, none of which lived longer */
};

struct diagnosis {
    enum kind verdict;
    int status; /* exit code */
    double confidence;
    const char *answer;
    const struct process_report *processes; /* parents before children */
    size_t process_count;
    const char **notes; /* about the run: OOM kill, orphans, unreadable ledgers, untraced programs */
    size_t note_count;
    double seconds;
    struct folded folded;
    const struct unwatched_process *unwatched; /* the unwatched process that lived longest; NULL: none */
    const struct cost_summary *cost; /* of all processes that are known; NULL: of none */
    struct effort effort;
    const struct tried *tried; /* NULL: no remedy was tried */
    bool redacted;       /* names have been replaced by hashes */
    struct arena *arena; /* owns everything above */
};

/* Judges a run. */
int diagnose(struct diagnosis *out, const struct run *run, struct why *why);
void diagnosis_free(struct diagnosis *diagnosis);

#endif /* TARE_DOCTOR_DIAGNOSIS_H */
