/* layout_run.h - the records of the ledger that `tare run` itself writes; a part of layout.h. */
#ifndef TARE_LEDGER_LAYOUT_RUN_H
#define TARE_LEDGER_LAYOUT_RUN_H

#include <stdint.h>

struct sample_record {
    uint64_t first;
    uint64_t last;
    uint64_t time;
    uint64_t root_resident;
    uint64_t resident; /* all processes of the run, at the last */
    uint64_t resident_min;
    uint64_t resident_max;
    uint64_t processes;
    uint64_t cgroup_bytes; /* charged to the nearest limited cgroup */
    uint64_t available;    /* MemAvailable of the machine */
};

struct process_record {
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t start;
    uint64_t end;    /* atomic: 0 while alive */
    uint32_t status; /* atomic: as wait() gives it, for the root; 0xffffffff: not known */
    uint32_t flags;  /* enum process_flag */
    uint32_t name;   /* string: comm */
    uint32_t untraced; /* string: why there is no ledger, 0: there is one or none was due */
    uint64_t resident_peak; /* atomic */
    uint64_t resident_last; /* atomic */
    uint32_t descriptors_first; /* open files at the first reading; 0: not read */
    uint32_t descriptors_most;  /* atomic */
};

enum process_flag { PROCESS_ROOT = 1, PROCESS_OOM_KILLED = 2, PROCESS_ORPHAN = 4 };

enum limit_kind {
    LIMIT_CGROUP = 1,
    LIMIT_ADDRESS_SPACE = 2,
    LIMIT_MACHINE = 3,
    LIMIT_DEVICE = 4 /* the memory of the GPU that the program works on */
};

struct limit_record {
    uint32_t kind;
    uint32_t path; /* string: the cgroup, or the name of the device */
    uint64_t bytes;
    uint64_t used; /* bytes counted against it when last read, less inactive file pages */
};

/* What is kept of an ended process that had nothing to report, when its ledger was removed. */
struct folded_record {
    uint32_t pid;
    uint32_t generation;
    uint32_t parent_pid;
    uint32_t program; /* string */
    uint32_t state;   /* enum ledger_state, the last it was in */
    uint32_t verdict; /* severity, as in doctor/facts/kinds.def */
    uint64_t start;
    uint64_t end; /* when it was last at work */
    uint64_t steps;
    uint64_t live_bytes; /* of the heap at the last summing */
    uint64_t live_blocks;
    uint64_t peak_bytes; /* of the heap */
    uint64_t born_bytes; /* allocated in total */
};

struct account_record {
    uint64_t time;
    uint32_t pid;
    uint32_t generation;
    uint64_t resident;
    uint64_t proportional;
    uint64_t shared_clean;
    uint64_t shared_dirty;
    uint64_t private_clean;
    uint64_t private_dirty;
    uint64_t anonymous;
    uint64_t shmem;
    uint64_t file;
    uint64_t swap;
    uint64_t pause_ns; /* how long the reading took */
};

/* A source file that a ledger of the run names. A report shows lines of a file only if the file
 * still has this size and this content, so a forged record cannot show a file that its forger has
 * not read. */
struct source_record {
    uint32_t path;     /* string */
    uint32_t flags;    /* enum source_flag */
    uint64_t size;     /* bytes */
    uint64_t modified; /* st_mtim: nanoseconds of CLOCK_REALTIME */
    uint64_t changed;  /* st_ctim, which a program cannot set */
    uint64_t hash;     /* of its bytes, FNV-1a in 64 bits; 0 with SOURCE_CHANGED */
};

enum source_flag {
    SOURCE_CHANGED = 1, /* it was changed after the run had begun: no report shows lines of it */
    SOURCE_SCRIPT = 2   /* an interpreter ran it, whatever its name ends with */
};

#endif /* TARE_LEDGER_LAYOUT_RUN_H */
