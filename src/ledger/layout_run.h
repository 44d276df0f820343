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

#endif /* TARE_LEDGER_LAYOUT_RUN_H */
