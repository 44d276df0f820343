/* layout_run.h - the records of the ledger that `tare run` itself writes; a part of layout.h. */
#ifndef TARE_LEDGER_LAYOUT_RUN_H
#define TARE_LEDGER_LAYOUT_RUN_H

#include <stdint.h>

struct sample_record {
    uint64_t first;         /* the first reading that this record stands for */
    uint64_t last;          /* the last reading that it stands for */
    uint64_t time;          /* CLOCK_MONOTONIC of the last reading */
    uint64_t root_resident; /* resident bytes of the root process at the last reading */
    uint64_t resident;      /* resident bytes of all processes of the run at the last reading */
    uint64_t resident_min;  /* least `resident` of the readings */
    uint64_t resident_max;  /* most `resident` of the readings */
    uint64_t processes;     /* processes alive at the last reading */
    uint64_t cgroup_bytes;  /* bytes charged to the nearest limited cgroup */
    uint64_t available;     /* MemAvailable of the machine, in bytes */
};

struct process_record {
    uint32_t pid;               /* its number */
    uint32_t parent_pid;        /* number of its parent */
    uint64_t start;             /* CLOCK_MONOTONIC when it was first seen */
    uint64_t end;               /* atomic: CLOCK_MONOTONIC when it was found gone; 0 while alive */
    uint32_t status;            /* atomic: of the root: as wait() gives it; 0xffffffff: not known */
    uint32_t flags;             /* enum process_flag */
    uint32_t name;              /* string: its name, as the kernel has it (comm) */
    uint32_t untraced;          /* string: why it has no ledger; 0: it has one, or none was due */
    uint64_t resident_peak;     /* atomic: most resident bytes of any reading */
    uint64_t resident_last;     /* atomic: resident bytes of the latest reading */
    uint32_t descriptors_first; /* open files at the first reading; 0: not read */
    uint32_t descriptors_most;  /* atomic: most open files of any reading */
};

enum process_flag { PROCESS_ROOT = 1, PROCESS_OOM_KILLED = 2, PROCESS_ORPHAN = 4 };

enum limit_kind {
    LIMIT_CGROUP = 1,
    LIMIT_ADDRESS_SPACE = 2,
    LIMIT_MACHINE = 3,
    LIMIT_DEVICE = 4 /* the memory of the GPU that the program works on */
};

struct limit_record {
    uint32_t kind;  /* enum limit_kind */
    uint32_t path;  /* string: the cgroup, or the name of the device */
    uint64_t bytes; /* the limit */
    uint64_t used;  /* bytes that counted against it at the latest reading, less inactive file pages */
};

/* What is kept of an ended process that had nothing to report, when its ledger was removed. */
struct folded_record {
    uint32_t pid;         /* its number */
    uint32_t generation;  /* its generation, as in the header of its ledger */
    uint32_t parent_pid;  /* number of its parent */
    uint32_t program;     /* string: path of its executable */
    uint32_t state;       /* enum ledger_state: the last that it had */
    uint32_t verdict;     /* severity of its verdict, as in doctor/facts/kinds.def */
    uint64_t start;       /* CLOCK_MONOTONIC when its ledger was made */
    uint64_t end;         /* CLOCK_MONOTONIC when it was last at work */
    uint64_t steps;       /* steps that it made */
    uint64_t live_bytes;  /* live bytes in its heap at the last summing */
    uint64_t live_blocks; /* live blocks in its heap at the last summing */
    uint64_t peak_bytes;  /* most live bytes in its heap */
    uint64_t born_bytes;  /* bytes that it allocated in total */
};

struct account_record {
    uint64_t time;          /* CLOCK_MONOTONIC of the reading */
    uint32_t pid;           /* the process */
    uint32_t generation;    /* its generation, as in the header of its ledger */
    uint64_t resident;      /* Rss of smaps_rollup, in bytes */
    uint64_t proportional;  /* Pss of smaps_rollup, in bytes */
    uint64_t shared_clean;  /* Shared_Clean of smaps_rollup, in bytes */
    uint64_t shared_dirty;  /* Shared_Dirty of smaps_rollup, in bytes */
    uint64_t private_clean; /* Private_Clean of smaps_rollup, in bytes */
    uint64_t private_dirty; /* Private_Dirty of smaps_rollup, in bytes */
    uint64_t anonymous;     /* Anonymous of smaps_rollup, in bytes */
    uint64_t shmem;         /* RssShmem of status, in bytes */
    uint64_t file;          /* RssFile of status, in bytes */
    uint64_t swap;          /* Swap of smaps_rollup, in bytes */
    uint64_t pause_ns;      /* nanoseconds that the reading took */
};

/* Processor time of the whole run, written when the program has ended; all 0: not known. */
struct effort_record {
    uint64_t program_ns; /* nanoseconds of the program and of the children that it waited for */
    uint64_t tare_ns;    /* nanoseconds of `tare run` itself */
    uint64_t look_ns;    /* nanoseconds of `tare_ns` that it took to judge ledgers and to ask */
    uint64_t looks;      /* how often a ledger was judged */
};

/* A source file that a ledger of the run names. A report shows lines of a file only if the file
 * still has this size and this content, so a forged record cannot show a file that its forger has
 * not read. */
struct source_record {
    uint32_t path;     /* string: path of the file */
    uint32_t flags;    /* enum source_flag */
    uint64_t size;     /* bytes of the file */
    uint64_t modified; /* st_mtim, in nanoseconds of CLOCK_REALTIME */
    uint64_t changed;  /* st_ctim, in nanoseconds; a program cannot set it */
    uint64_t hash;     /* FNV-1a in 64 bits of the file's bytes; 0 with SOURCE_CHANGED */
};

enum source_flag {
    SOURCE_CHANGED = 1, /* it was changed after the run had begun: no report shows lines of it */
    SOURCE_SCRIPT = 2   /* an interpreter ran it, whatever its name ends with */
};

/* An installed package of Python or Node that code on a stack of the run belongs to, as it was at the end. */
struct package_record {
    uint32_t path;    /* string: a file, or a folder of which all files belong to the package */
    uint32_t name;    /* string: its name */
    uint32_t version; /* string: its version */
    uint32_t spare;   /* 0 */
};

#endif /* TARE_LEDGER_LAYOUT_RUN_H */
