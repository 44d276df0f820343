/* layout.h - the ledger, byte for byte: all that probe, adapters and doctor share.
 *
 * A ledger is one mapped file of bounded size, written by one process and readable at any instant:
 * a header page, then sections at fixed offsets (sections.def). Everything is little-endian and
 * naturally aligned; every record is a multiple of 8 bytes. Fields that change after their record
 * is published are marked "atomic". docs/ledger.md is made from this file and the .def files.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. An *ordinal* numbers the steps of one process: records
 * end an interval, and what is allocated before the first record has birth 1. A "weight" is bytes a
 * sampled block stands for (docs/sampling.md).
 */
#ifndef TARE_LEDGER_LAYOUT_H
#define TARE_LEDGER_LAYOUT_H

#include <stdint.h>

#define LEDGER_MAGIC "TARE\r\n\032\n" /* 8 bytes; a text-mode copy breaks it on purpose */
#define LEDGER_VERSION 1
#define LEDGER_HEADER_SIZE 4096
#define LEDGER_SECTIONS_MAX 40
#define LEDGER_CLASSES 64
#define LEDGER_CLOCKS 16
#define LEDGER_GAUGES 8
#define LEDGER_AGES 16
#define LEDGER_SUFFIX ".tare"
#define LEDGER_RUN_NAME "run.tare" /* the ledger of `tare run` itself */

enum ledger_role { ROLE_PROCESS = 1, ROLE_RUN = 2 };

enum ledger_state {
    STATE_STARTING = 0,
    STATE_RUNNING = 1,
    STATE_LAST_ROUND = 2, /* waiting for the doctor before an orderly end */
    STATE_ENDED = 3,      /* orderly: exit, _exit */
    STATE_OFF = 4         /* the probe switched itself off; off_reason says why */
};

enum section_shape { SHAPE_LOG, SHAPE_TABLE, SHAPE_RING, SHAPE_LEVELS, SHAPE_FIXED };

enum section {
#define SECTION(number, name, record, shape, capacity, start, says) SECTION_##name = number,
#include "ledger/sections.def"
#undef SECTION
};

/* Slots of a table's first segment, records taken at the start of any other section. */
enum section_start {
#define SECTION(number, name, record, shape, capacity, start, says) START_##name = start,
#include "ledger/sections.def"
#undef SECTION
};

enum clock_id {
#define CLOCK(number, name, says) CLOCK_##name = number,
#include "ledger/clocks.def"
#undef CLOCK
};

enum lost_reason {
#define LOST(number, name, says) LOST_##name = number,
#include "ledger/lost.def"
#undef LOST
};

struct section_entry {
    uint32_t number;
    uint32_t record_size;
    uint64_t offset;   /* from the start of the file */
    uint64_t capacity; /* records */
    uint64_t taken;    /* atomic: records whose room is taken from the disk */
    uint64_t used;     /* atomic: see the shape in sections.def */
};

struct ledger_header {
    char magic[8];
    uint32_t version;
    uint32_t header_size;
    uint64_t file_size;
    uint32_t role;
    uint32_t sections;
    uint32_t pid;
    uint32_t parent_pid;
    uint64_t run;        /* the same in all ledgers of one run */
    uint32_t generation; /* counts the exec calls of this pid inside the run */
    uint32_t page_size;
    uint64_t start_mono;
    uint64_t start_real; /* CLOCK_REALTIME at the same instant */
    uint32_t program;    /* string: path of the executable */
    uint32_t command;    /* string: the command line, words separated by one blank */
    uint32_t state;      /* atomic: enum ledger_state */
    uint32_t off_reason; /* string, when state is STATE_OFF */
    uint64_t seen_mono;  /* atomic: last time the writer was at work */
    uint32_t allocator;  /* string: the object that holds the next malloc */
    uint32_t inherited;  /* 1: a forked child; its first totals are its parent's blocks */
    uint64_t forked_bytes;  /* live bytes inherited by a forked child */
    uint64_t forked_blocks; /* live blocks inherited by a forked child */
    uint64_t rate;       /* atomic: mean bytes between samples now in force */
    uint64_t watched;    /* atomic: size classes of which every block is sampled, one bit each */
    uint64_t tsc_hz;     /* reserved, 0 */
    struct section_entry table[LEDGER_SECTIONS_MAX];
};

struct string_unit {
    uint8_t bytes[8]; /* first unit: u32 length, then the bytes, a 0, padding; id = unit index + 1 */
};

struct module_record {
    uint64_t base; /* address that offsets are counted from (load bias) */
    uint64_t start;
    uint64_t end;
    uint32_t path; /* string */
    uint32_t build_id_size;
    uint8_t build_id[24];
    uint64_t loaded;   /* ordinal at which it was first seen */
    uint64_t unloaded; /* atomic: ordinal at which it was missed, 0 while loaded */
};

enum frame_kind {
    FRAME_NATIVE = 1, /* unit = module index + 1 (0: no module), offset = return address - base */
    FRAME_PYTHON = 2, /* unit = code index + 1 (0: none), offset = bytes, FRAME_NOT_BEGUN: before it */
    FRAME_JS = 3,     /* unit = script id, offset = line << 32 | column */
    FRAME_BUSY = 255  /* a slot being filled; skip it */
};

#define FRAME_NOT_BEGUN 0xffffffffull /* a Python function that was called and has not begun yet */

struct stack_record {
    uint64_t link;   /* atomic: caller's id << 32 | unit << 8 | enum frame_kind; 0: free slot */
    uint64_t offset; /* valid once link is neither 0 nor busy. A record's id is its index + 1 */
};

enum site_kind { SITE_HEAP = 1, SITE_MAP = 2, SITE_SHARED = 3 };

struct site_record {
    uint64_t key;          /* atomic: stack id << 16 | class << 8 | enum site_kind; 0: free slot */
    uint64_t first;        /* ordinal of the first sampled birth */
    uint64_t last;         /* atomic: ordinal of the latest sampled birth */
    uint64_t births;       /* atomic: sampled blocks */
    uint64_t deaths;       /* atomic */
    uint64_t born_weight;  /* atomic: bytes; live = born - dead */
    uint64_t dead_weight;  /* atomic */
    uint64_t peak_weight;  /* atomic: live weight when peak number `peak` was marked */
    uint64_t peak;         /* atomic: older than peak_record.number: use the live weight */
    uint32_t ages[LEDGER_AGES]; /* atomic: deaths by bit length of the age in ordinals */
};

struct live_key {
    uint64_t address; /* atomic: 0 free, 1 being filled */
};

struct block_record {
    uint64_t size;   /* usable bytes */
    uint64_t weight; /* bytes it stands for */
    uint64_t birth;  /* ordinal; kept through realloc */
    uint32_t site;   /* index + 1; 0: its site was lost */
    uint32_t grown;  /* times realloc moved or resized it */
};

struct death_record {
    uint64_t birth;
    uint64_t death; /* ordinals */
    uint32_t site;  /* index + 1 */
    uint32_t size;  /* usable bytes, at most 2^32 - 1; 0: not known */
};

/* After merging, one record stands for the ordinals first..last. */
struct step_record {
    uint64_t first;
    uint64_t last;
    uint64_t time;    /* of the last */
    uint32_t ticked;  /* clocks that ticked, one bit each */
    uint32_t classes; /* 1: class_blocks was summed; 0: repeated from the record before */
    uint64_t clock[LEDGER_CLOCKS]; /* counts after the last */
    uint64_t live_bytes;           /* at the last */
    uint64_t live_min;
    uint64_t live_max;
    uint64_t live_blocks;
    uint64_t allocated_bytes; /* since the start */
    uint64_t allocated_blocks;
    uint64_t mapped_bytes; /* alive, private, by the program itself */
    uint64_t shared_bytes; /* alive, shared */
    uint64_t resident;     /* at the latest reading */
    uint64_t gauges[LEDGER_GAUGES];
    uint32_t threads; /* alive */
    uint32_t sampled; /* blocks sampled during the span */
    uint32_t class_blocks[LEDGER_CLASSES]; /* least number of live blocks over the span */
};

struct level_record {
    uint64_t head; /* atomic: records ever merged away from this level */
    uint64_t tail; /* atomic: records ever put into it; those in between are there */
};

struct class_total {
    uint64_t born_blocks;
    uint64_t born_bytes;
    uint64_t dead_blocks;
    uint64_t dead_bytes;
};

struct totals_record {
    uint64_t sequence; /* atomic: odd while being written */
    uint64_t time;
    uint64_t ordinal; /* of the interval now open */
    uint64_t threads_started;
    uint64_t threads_ended;
    uint64_t mapped_bytes;
    uint64_t mapped_count;
    uint64_t shared_bytes;
    uint64_t reserved_bytes; /* mapped by the allocator for its own heap, where that can be seen */
    uint64_t probe_bytes;    /* private memory of the probe itself */
    uint64_t pause_ns; /* all pauses made on request */
    uint64_t clock[LEDGER_CLOCKS];
    /* First ordinal of which every birth was sampled; 0: not watched. */
    uint64_t watched_since[LEDGER_CLASSES];
    struct class_total classes[LEDGER_CLASSES];
};

struct peak_record {
    uint64_t sequence; /* atomic: odd while being written */
    uint64_t number;   /* atomic: counts the marks */
    uint64_t time;
    uint64_t ordinal;
    uint64_t weight;     /* sum over all sites */
    uint64_t live_bytes; /* exact, heap */
    uint64_t mapped_bytes;
    uint64_t resident;
};

struct map_record {
    uint64_t start; /* atomic: 0 free slot */
    uint64_t length;
    uint64_t birth;
    uint32_t site; /* index + 1 */
    uint32_t kind; /* enum site_kind */
};

struct scope_record {
    uint32_t name; /* atomic: string, 0: free */
    uint32_t spare;
    uint64_t entered;    /* atomic */
    uint64_t left;       /* atomic */
    int64_t kept;        /* atomic: live bytes at its ends minus at its beginnings, whole process */
    uint64_t allocated;  /* atomic: bytes allocated by its threads inside it */
};

enum intervention_kind { INTERVENTION_TRIM = 1, INTERVENTION_COLLECT = 2 };

struct intervention_record {
    uint64_t time;
    uint64_t ordinal;
    uint32_t kind;
    uint32_t released; /* what the allocator answered */
    uint64_t pause_ns;
    uint64_t live_before;
    uint64_t live_after;
    uint64_t resident_before;
    uint64_t resident_after;
};

enum holder_state { HOLDER_SEARCHING = 1, HOLDER_DONE = 2, HOLDER_FAILED = 3 };

enum root_kind {
    ROOT_NONE = 0,   /* nothing points to the blocks any more */
    ROOT_MODULE = 1, /* a variable of an executable or library */
    ROOT_MEMORY = 2, /* memory the program mapped itself, or thread-local memory */
    ROOT_STACK = 3   /* a stack */
};

#define HOLDER_PATH 8

/* A conservative search in a copy of the process: what looks like a pointer is one. */
struct holder_record {
    uint64_t time;
    uint64_t ordinal;
    uint32_t site;    /* index + 1 */
    uint32_t state;   /* atomic: enum holder_state */
    uint32_t targets; /* blocks of the site looked for */
    uint32_t reached; /* of those, found from some root */
    uint32_t through; /* of those, from the root below */
    uint32_t root;    /* enum root_kind */
    uint32_t unit;    /* module of the root: index + 1, 0: none */
    uint32_t depth;   /* pointers from the root to the block; the path may be cut */
    uint64_t offset;  /* of the root's pointer: address less the module's base, or the address */
    uint32_t path[HOLDER_PATH]; /* offset of each next pointer in its block */
    uint64_t pause_ns;
    uint64_t scanned; /* bytes looked at */
};

/* Resident bytes of private memory, page by page, measured in a copy of the process. */
struct resident_record {
    uint64_t time;
    uint64_t ordinal;
    uint64_t state;          /* atomic: enum holder_state */
    uint64_t heap_used;      /* in chunks that the heap has marked as handed out, headers included */
    uint64_t heap_untouched; /* not resident, in such chunks */
    uint64_t heap_free;      /* in free chunks and at the end of each heap */
    uint64_t heap_blocks;    /* chunks handed out */
    uint64_t stacks;
    uint64_t modules; /* variables of executables and libraries, libc's included */
    uint64_t mapped;  /* anonymous mappings that are no heap: the program's and its runtimes' */
    uint64_t probe;   /* the probe's own private memory */
    uint64_t ledger;  /* pages of the ledger; they count as file pages */
};

struct note_record {
    uint64_t time;
    uint64_t ordinal;
    uint32_t text; /* string */
    uint32_t spare;
};

/* A Python function as it was when first seen on a stack. */
struct code_record {
    uint32_t file;       /* string */
    uint32_t name;       /* string: qualified, where the interpreter keeps that with the code */
    uint32_t first_line; /* of the source */
    uint32_t version;    /* of the interpreter, as its PY_VERSION_HEX; says the form of the table */
    uint32_t table;      /* index + 1 of the first unit of its line table; 0: none */
    uint32_t table_size; /* bytes */
};

/* The interpreter's own table from instruction offsets to lines, as its bytes are. */
struct table_unit {
    uint8_t bytes[8];
};

struct lost_record {
    uint64_t count; /* atomic; the index is enum lost_reason */
};

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
};

enum process_flag { PROCESS_ROOT = 1, PROCESS_OOM_KILLED = 2, PROCESS_ORPHAN = 4 };

enum limit_kind { LIMIT_CGROUP = 1, LIMIT_ADDRESS_SPACE = 2, LIMIT_MACHINE = 3 };

struct limit_record {
    uint32_t kind;
    uint32_t path; /* string: the cgroup */
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

#endif /* TARE_LEDGER_LAYOUT_H */
