/* layout.h - the ledger, byte for byte: all that probe, adapters and doctor share.
 *
 * A ledger is one mapped file of bounded size, written by one process and readable at any instant:
 * a header page, then sections at fixed offsets (sections.def). Everything is little-endian and
 * naturally aligned; every record is a multiple of 8 bytes. Fields that change after their record
 * is published are marked "atomic". docs/internals/ledger.md is made from this file and the .def
 * files.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. An *ordinal* numbers the steps of one process: records
 * end an interval, and what is allocated before the first record has birth 1. A "weight" is bytes a
 * sampled block stands for (docs/internals/sampling.md).
 */
#ifndef TARE_LEDGER_LAYOUT_H
#define TARE_LEDGER_LAYOUT_H

#include <stdint.h>

#define LEDGER_MAGIC        "TARE\r\n\032\n" /* 8 bytes; a text-mode copy breaks it on purpose */
#define LEDGER_VERSION      2
#define LEDGER_HEADER_SIZE  4096
#define LEDGER_SECTIONS_MAX 64
#define LEDGER_DEVICES 8 /* devices that have a record; memory of further ones is counted with the last */
#define LEDGER_CLASSES      64
#define LEDGER_CLOCKS       32
#define LEDGER_GAUGES       32
#define LEDGER_VALUES       36 /* clocks and gauges of one step that are not 0 */
#define LEDGER_AGES         16
#define LEDGER_RECENT       8
#define LEDGER_SUFFIX       ".tare"
#define SNAPSHOT_SUFFIX     ".heapsnapshot" /* a heap snapshot, beside its ledger */
#define LEDGER_RUN_NAME     "run.tare"      /* the ledger of `tare run` itself */

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
#define CLOCK(number, name, ...) CLOCK_##name = number,
#include "ledger/clocks.def"
#undef CLOCK
};

enum dtype {
#define DTYPE(number, name, bytes, says) DTYPE_##name = number,
#include "ledger/dtypes.def"
#undef DTYPE
};

/* What an adapter measures at the end of each step. */
enum gauge_id {
#define GAUGE(number, name, says) GAUGE_##name = number,
#include "ledger/gauges.def"
#undef GAUGE
};

enum lost_reason {
#define LOST(number, name, says) LOST_##name = number,
#include "ledger/lost.def"
#undef LOST
};

struct section_entry {
    uint32_t number;      /* the section's number in sections.def */
    uint32_t record_size; /* bytes of one record */
    uint64_t offset;      /* of the first record, from the start of the file */
    uint64_t capacity;    /* the most records that the section can have */
    uint64_t taken;       /* atomic: records whose room is taken from the disk */
    uint64_t used;        /* atomic: records in use; sections.def says what that means for each shape */
};

struct ledger_header {
    char magic[8];         /* LEDGER_MAGIC; written last, when all else is there */
    uint32_t version;      /* LEDGER_VERSION of the writer */
    uint32_t header_size;  /* bytes of this header */
    uint64_t file_size;    /* bytes of the file when all sections are full */
    uint32_t role;         /* enum ledger_role: who writes this ledger */
    uint32_t sections;     /* how many places `table` has */
    uint32_t pid;          /* the process that writes this ledger */
    uint32_t parent_pid;   /* its parent when the ledger was made */
    uint64_t run;          /* the same in all ledgers of one run */
    uint32_t generation;   /* counts the exec calls of this pid inside the run */
    uint32_t page_size;    /* bytes of a page of memory on that machine */
    uint64_t start_mono;   /* CLOCK_MONOTONIC when the ledger was made, in nanoseconds */
    uint64_t start_real;   /* CLOCK_REALTIME at the same instant, in nanoseconds */
    uint32_t program;      /* string: path of the executable */
    uint32_t command;      /* string: the command line, words separated by one blank */
    uint32_t state;        /* atomic: enum ledger_state */
    uint32_t off_reason;   /* string: why the probe stopped, when `state` is STATE_OFF; else 0 */
    uint64_t seen_mono;    /* atomic: CLOCK_MONOTONIC when the writer was last at work */
    uint32_t allocator;    /* string: path of the object whose malloc the program calls */
    uint32_t inherited;    /* 1: a forked child, whose first totals are blocks of its parent */
    uint64_t forked_bytes; /* live bytes inherited by a forked child */
    uint64_t rate;         /* atomic: mean number of bytes between two samples, at present */
    uint64_t watched;      /* atomic: size classes of which every block is sampled, one bit each */
    struct section_entry table[LEDGER_SECTIONS_MAX]; /* the sections, by their numbers */
};

struct string_unit {
    uint8_t bytes[8]; /* first unit: u32 length, then the bytes, a 0, padding; id = unit index + 1 */
};

struct module_record {
    uint64_t base;          /* address that offsets are counted from (load bias) */
    uint64_t start;         /* lowest address of its segments */
    uint64_t end;           /* address after its highest segment */
    uint32_t path;          /* string: path of its file */
    uint32_t build_id_size; /* bytes of `build_id` that count */
    uint8_t build_id[24];   /* its build-id; 0 after the bytes that count */
    uint64_t loaded;        /* ordinal of the step in which it was first seen */
    uint64_t unloaded;      /* atomic: ordinal of the step in which it was found gone; 0 while loaded */
};

enum frame_kind {
    FRAME_NATIVE = 1,   /* unit = module index + 1 (0: no module), offset = return address - base */
    FRAME_PYTHON = 2,   /* unit = code index + 1 (0: none), offset = bytes, FRAME_NOT_BEGUN: before it */
    FRAME_JS = 3,       /* unit = script index + 1 (0: none), offset = line << 32 | column, from 1 */
    FRAME_BACKWARD = 4, /* innermost: a backward pass; its caller made the graph's node */
    FRAME_BUSY = 255    /* a slot being filled; skip it */
};

#define FRAME_NOT_BEGUN 0xffffffffull /* a Python function that was called and has not begun yet */

struct stack_record {
    uint64_t link;   /* atomic: caller's id << 32 | unit << 8 | enum frame_kind; 0: free slot */
    uint64_t offset; /* valid once link is neither 0 nor busy. A record's id is its index + 1 */
};

enum site_kind {
    SITE_HEAP = 1,
    SITE_MAP = 2,
    SITE_SHARED = 3,
    SITE_OBJECT = 4,         /* small objects of an interpreter, out of its arenas */
    SITE_TENSOR = 5,         /* reported by an adapter: a tensor that lives until it is disposed */
    SITE_TENSOR_MANAGED = 6, /* the same, where the collector may release its data before that */
    SITE_ARENA = 7,          /* an interpreter's mapping for small objects: reserved, not kept by a line */
    SITE_SCRIPT = 8,         /* reported by an adapter: live objects of a JavaScript heap, by function */
    SITE_BUFFER = 9,         /* reported by an adapter: a device buffer that was created and not reused */
    SITE_DEVICE = 10         /* memory of a device; in place of the size class: the number of the device */
};

struct site_record {
    uint64_t key;         /* atomic: stack id << 16 | class << 8 | enum site_kind; 0: free slot */
    uint64_t first;       /* ordinal of the first sampled birth */
    uint64_t last;        /* atomic: ordinal of the latest sampled birth */
    uint64_t births;      /* atomic: sampled blocks that were born */
    uint64_t deaths;      /* atomic: sampled blocks that died */
    uint64_t born_weight; /* atomic: bytes that the births stand for; less `dead_weight`: live */
    uint64_t dead_weight; /* atomic: bytes that the deaths stand for */
    uint64_t peak_weight; /* atomic: live weight when peak number `peak` was marked */
    uint64_t peak;        /* atomic: number of a peak; if it is not the latest, the live weight counts */
    uint32_t ages[LEDGER_AGES]; /* atomic: deaths by bit length of the age in ordinals */
};

struct live_key {
    uint64_t address; /* atomic: 0: free; 1: being filled; above 2^63: a number that an adapter reported */
};

struct block_record {
    uint64_t size;   /* usable bytes */
    uint64_t weight; /* bytes that the sampled block stands for */
    uint64_t birth;  /* ordinal of the step in which it was allocated; realloc keeps it */
    uint32_t site;   /* index + 1; 0: its site was lost */
    uint16_t grown;  /* times realloc moved or resized it; 65,535: that often or more */
    uint16_t holder; /* of a tensor: enum tensor_holder; else 0 */
    uint32_t native; /* stack id: native code between a language's frames and the allocation; 0: none known */
    uint32_t spare;  /* 0 */
};

/* What of its framework holds a tensor, as the framework's own tables say. */
enum tensor_holder { TENSOR_FREE = 0, TENSOR_VARIABLE = 1, TENSOR_SCOPE = 2, TENSOR_KEPT = 3 };

struct death_record {
    uint64_t birth; /* ordinal of the step in which the block was allocated */
    uint64_t death; /* ordinal of the step in which it was released */
    uint32_t site;  /* site of the block: index + 1 */
    uint32_t size;  /* usable bytes, at most 2^32 - 1; 0: not known */
};

/* After merging, one record stands for the ordinals first..last. Clocks and gauges that are 0 take no room:
 * `values` holds those of the clocks in `clocks`, the lowest number first, then those of the gauges in
 * `gauges`. It is last so that it can become longer. ledger/step.h packs and unpacks. */
struct packed_step {
    uint64_t first;                        /* the first ordinal that this record stands for */
    uint64_t last;                         /* the last ordinal that it stands for */
    uint64_t time;                         /* CLOCK_MONOTONIC at the end of the last step */
    uint64_t live_bytes;                   /* bytes live in the heap at the end of the last step */
    uint64_t live_min;                     /* least `live_bytes` of the steps */
    uint64_t live_max;                     /* most `live_bytes` of the steps */
    uint64_t live_blocks;                  /* blocks live in the heap at the end of the last step */
    uint64_t allocated_bytes;              /* bytes allocated since the start of the process */
    uint64_t allocated_blocks;             /* blocks allocated since the start of the process */
    uint64_t mapped_bytes;                 /* bytes of live private mappings that the program made itself */
    uint64_t shared_bytes;                 /* bytes of live shared memory */
    uint64_t resident;                     /* resident bytes at the latest reading */
    uint64_t sampled;                      /* blocks sampled during the steps */
    uint32_t ticked;                       /* clocks that ticked during the steps, one bit each */
    uint32_t threads;                      /* threads alive at the end of the last step */
    uint32_t class_blocks[LEDGER_CLASSES]; /* by size class: least number of live blocks during the steps */
    uint32_t clocks; /* clocks that ever ticked, one bit each: `values` begins with their counts */
    uint32_t gauges; /* gauges that are not 0, one bit each: `values` continues with them */
    uint64_t values[LEDGER_VALUES]; /* counts of clocks, then gauges, at the end of the last step */
};

struct level_record {
    uint64_t head; /* atomic: records that were ever merged into the next level */
    uint64_t tail; /* atomic: records that were ever put into this level; it holds head..tail-1 */
};

struct class_total {
    uint64_t born_blocks; /* blocks allocated since the start */
    uint64_t born_bytes;  /* usable bytes allocated since the start */
    uint64_t dead_blocks; /* blocks released since the start */
    uint64_t dead_bytes;  /* usable bytes released since the start */
};

struct totals_record {
    uint64_t sequence;             /* atomic: odd while being written */
    uint64_t time;                 /* CLOCK_MONOTONIC when the sums were taken */
    uint64_t ordinal;              /* of the step that was open then */
    uint64_t threads_started;      /* threads that were started since the start */
    uint64_t threads_ended;        /* threads that ended since the start */
    uint64_t mapped_bytes;         /* bytes of live private mappings that the program made itself */
    uint64_t shared_bytes;         /* bytes of live shared memory */
    uint64_t reserved_bytes;       /* mapped by the allocator for its own heap, where that can be seen */
    uint64_t probe_bytes;          /* bytes of private memory that the probe takes */
    uint64_t pause_ns;             /* nanoseconds of all pauses that requests caused */
    uint64_t clock[LEDGER_CLOCKS]; /* ticks of each clock so far */
    /* First ordinal of which every birth was sampled; 0: not watched. */
    uint64_t watched_since[LEDGER_CLASSES];
    struct class_total classes[LEDGER_CLASSES]; /* sums by size class */
};

struct peak_record {
    uint64_t sequence;     /* atomic: odd while being written */
    uint64_t number;       /* atomic: how many peaks were marked so far */
    uint64_t time;         /* CLOCK_MONOTONIC when the latest was marked */
    uint64_t ordinal;      /* of the step that was open then */
    uint64_t weight;       /* estimated live bytes, summed over all sites */
    uint64_t live_bytes;   /* exact live bytes in the heap */
    uint64_t mapped_bytes; /* exact bytes of private mappings */
    uint64_t resident;     /* resident bytes at the latest reading before it */
};

#define MAP_LEFT (1ull << 63) /* values from here on are not addresses */

struct map_record {
    uint64_t start;    /* atomic: address; 0: free; from 2^63 on: unmapped shared memory that has a name */
    uint64_t length;   /* bytes */
    uint64_t birth;    /* ordinal of the step in which it was made */
    uint32_t site;     /* site that made it: index + 1 */
    uint32_t kind;     /* enum site_kind: private, shared, or an arena */
    uint32_t unit;     /* module whose code made it: index + 1; 0: not known */
    uint32_t spare;    /* 0 */
    uint64_t resident; /* atomic: resident bytes at the latest account; 0: it did not exist then */
};

struct scope_record {
    uint32_t name;      /* atomic: string: its name; 0: free */
    uint32_t spare;     /* 0 */
    uint64_t entered;   /* atomic: times that it was entered */
    uint64_t left;      /* atomic: times that it was left */
    int64_t kept;       /* atomic: change of the process's live bytes from entering to leaving, summed */
    uint64_t allocated; /* atomic: bytes that its threads allocated inside it */
};

enum intervention_kind {
    INTERVENTION_TRIM = 1,
    INTERVENTION_COLLECT = 2,
    INTERVENTION_SNAPSHOT = 3,      /* the heap was written to PID.GENERATION.heapsnapshot */
    INTERVENTION_SYNC = 4,          /* a device was asked to finish its work; the program ran on */
    INTERVENTION_WORKER = 5,        /* not requested: a worker of the engine ended, and its heap with it */
    INTERVENTION_COLLECTOR_OFF = 6, /* not requested: Python's collector was found switched off */
    INTERVENTION_COLLECTOR_ON = 7,  /* not requested: it was found switched on again */
    INTERVENTION_NO_SNAPSHOT = 8    /* a heap snapshot was wanted and not taken; `pause_ns`: a try's */
};

struct intervention_record {
    uint64_t time;             /* CLOCK_MONOTONIC when it began */
    uint64_t ordinal;          /* of the step that was open then */
    uint32_t kind;             /* enum intervention_kind */
    uint32_t trimmed;          /* INTERVENTION_TRIM: 1: the allocator gave memory back */
    uint64_t pause_ns;         /* nanoseconds that the program was paused */
    uint64_t live_before;      /* live bytes in the heap before it */
    uint64_t live_after;       /* live bytes in the heap after it */
    uint64_t resident_before;  /* resident bytes of the process before it; 0: not read */
    uint64_t resident_after;   /* resident bytes of the process after it; 0: not read */
    uint64_t unreachable;      /* INTERVENTION_COLLECT: objects that the collector found unreachable */
    uint64_t suspected_object; /* INTERVENTION_SNAPSHOT: objects of a greater id were made after the first
                                * suspicion */
    uint64_t device_steps;     /* INTERVENTION_SYNC: steps until the device had done its work */
    uint64_t heap_first;       /* INTERVENTION_WORKER: bytes of its heap after its first collection that left
                                * more */
    uint64_t heap_last;        /* INTERVENTION_WORKER: bytes of its heap after its latest collection */
    uint64_t unsearched;       /* INTERVENTION_NO_SNAPSHOT: why, a number of unsearched.def */
    uint64_t expected_ns;      /* INTERVENTION_NO_SNAPSHOT: how long a snapshot would have paused the program;
                                * 0: not known */
    uint64_t most_ns;          /* INTERVENTION_NO_SNAPSHOT: the longest pause that was allowed; 0: none */
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
    uint64_t time;    /* CLOCK_MONOTONIC when the search began */
    uint64_t ordinal; /* of the step that was open then */
    uint32_t site;    /* site whose blocks were searched for: index + 1 */
    uint32_t state;   /* atomic: enum holder_state */
    uint32_t targets; /* blocks of the site that were searched for */
    uint32_t reached; /* how many of them were reached from some root */
    uint32_t root;    /* enum root_kind */
    uint32_t unit;    /* module of the root: index + 1; 0: none */
    uint32_t depth;   /* pointers from the root to the block; `path` may hold fewer */
    uint32_t reason;  /* HOLDER_FAILED: why, a number of unsearched.def; 0: not known */
    uint64_t offset;  /* of the root's pointer, from the module's base; without a module: its address */
    uint32_t path[HOLDER_PATH]; /* offset of each next pointer in its block */
    uint64_t pause_ns;          /* pause of the program, faults included; of a refused search: as predicted */
    uint64_t scanned;           /* bytes that the search read */
};

/* How one object of a managed language leads to the next. The first step of a path is a root. */
enum owner_kind {
    OWNER_MODULE = 1,      /* root. name: the module's; file: its source */
    OWNER_FRAME = 2,       /* root: a function that is running. name, file, line: where it stands */
    OWNER_THREAD = 3,      /* root: thread-local or interpreter state. name: which */
    OWNER_TYPE = 4,        /* root: a class. name: qualified; file: its module's source */
    OWNER_RUNTIME = 5,     /* root: something the language or a library keeps in native memory */
    OWNER_CYCLE = 6,       /* no root: objects that hold each other. type: of the first; leads back to it */
    OWNER_ATTRIBUTE = 16,  /* name: of an attribute, or of a module's variable */
    OWNER_LOCAL = 17,      /* name: of a local variable of a running function or generator */
    OWNER_CLOSURE = 18,    /* name: of a variable that a function has closed over */
    OWNER_DEFAULT = 19,    /* name: of the parameter whose default value it is */
    OWNER_KEY = 20,        /* value of a mapping. name: its key, as source text; cut when long */
    OWNER_KEY_ITSELF = 21, /* it is the key of a mapping, or a member of a set */
    OWNER_INDEX = 22,      /* element of a sequence. index: which */
    OWNER_PART = 23,       /* some other reference, or left_out of them. name: of it, "": none */
    OWNER_NATIVE = 24      /* an object of native code. name: its class, "": not known */
};

/* One step of the path from a root to the blocks of a site; beside the holder it belongs to. */
struct owner_record {
    uint32_t holder;   /* holder record that this step belongs to: index + 1 */
    uint32_t position; /* place of this step in the path; 0: the root */
    uint32_t kind;     /* enum owner_kind */
    uint32_t name;     /* string: the name of the variable, attribute, key or class; 0: none */
    uint32_t type;     /* string: qualified type of the object that this step leads to; 0: not known */
    uint32_t file;     /* string: source file of what is named, or of the type's module; 0: not known */
    uint32_t line;     /* line in `file`; 0: not known */
    uint32_t libraries_known; /* of a root: 1: `libraries_alone` was counted */
    uint64_t libraries_alone; /* of a root: blocks of the site that can be reached through libraries alone */
    uint64_t index;           /* OWNER_INDEX: place of the element */
    uint64_t left_out;        /* OWNER_PART: how many steps this one stands for; 0: it is a single step */
    uint64_t length; /* elements of the container that this step leads to; 0: not a container, or empty */
    uint64_t bound;  /* declared bound of that container (maxlen, maxsize); 0: none */
    uint64_t hits;   /* of a cache that counts: how often it had the answer */
    uint64_t misses; /* of a cache that counts: how often it did not have the answer */
};

enum array_kind {
    ARRAY_NUMPY = 1, /* a numpy.ndarray */
    ARRAY_TORCH = 2  /* a torch.Tensor, or what a graph of gradients has saved of one */
};

#define ARRAY_SIZES 6

/* What the blocks of a site are, as one of them was found; beside the holder it belongs to. */
struct array_record {
    uint32_t holder;     /* holder record that this belongs to: index + 1 */
    uint32_t kind;       /* enum array_kind */
    uint32_t dtype;      /* type of the elements: a number of dtypes.def; 0: another type */
    uint32_t dimensions; /* how many dimensions the array has; 0: it is a single number */
    uint64_t elements;   /* how many elements the array has */
    uint64_t bytes;      /* bytes of all elements; less than the block's: the array shows a part of it */
    uint64_t sizes[ARRAY_SIZES]; /* elements along each of the first dimensions */
};

/* Resident bytes of private memory, page by page, measured in a copy of the process. */
struct resident_record {
    uint64_t time;           /* CLOCK_MONOTONIC when the account was taken */
    uint64_t ordinal;        /* of the step that was open then */
    uint64_t state;          /* atomic: enum holder_state */
    uint64_t heap_used;      /* bytes in chunks that the heap has handed out, headers included */
    uint64_t heap_untouched; /* bytes of such chunks that are not resident */
    uint64_t heap_free;      /* bytes in free chunks and at the end of each heap */
    uint64_t heap_blocks;    /* chunks that the heap has handed out */
    uint64_t stacks;         /* bytes of stacks of threads */
    uint64_t modules;        /* bytes of variables of executables and libraries, libc included */
    uint64_t mapped; /* bytes of anonymous mappings outside the heap, of the program and its runtimes */
    uint64_t probe;  /* bytes of the probe's own private memory */
    uint64_t ledger; /* bytes of the ledger's pages, which count as file pages */
    uint64_t pool;   /* bytes in regions of frameworks' pools; the heap's numbers do not include them */
    uint64_t pool_untouched; /* bytes of such regions that are not resident */
};

/* What was new about the arguments for which a function was compiled again. */
enum trace_change {
    CHANGE_UNKNOWN = 0,
    CHANGE_VALUE = 1,    /* a number or text of the language, which is part of the compiled code */
    CHANGE_SHAPE = 2,    /* of a tensor */
    CHANGE_TYPE = 3,     /* of an argument, or of a tensor's elements */
    CHANGE_OBJECT = 4,   /* an argument is another object each time */
    CHANGE_FUNCTION = 5, /* nothing: the function itself is created each time */
    CHANGE_CONTEXT = 6   /* nothing about the arguments: where it was called */
};

/* A function that a framework compiles for each new kind of arguments, as called from one line. */
struct trace_record {
    uint32_t function;  /* string: its name */
    uint32_t file;      /* string: where it is defined */
    uint32_t line;      /* line of `file` where it is defined */
    uint32_t call_file; /* string: file of the caller, the first that does not belong to a library */
    uint32_t call_line; /* line of `call_file` */
    uint32_t argument;  /* atomic: string: the argument that changed, with two of its values; 0: not known */
    uint32_t change;    /* atomic: enum trace_change of the latest compilation; the first does not count */
    uint32_t spare;     /* 0 */
    uint64_t count;     /* atomic: compilations so far */
    uint64_t live;      /* atomic: versions of the function that exist */
    uint64_t first;     /* ordinal of the first compilation */
    uint64_t last;      /* atomic: ordinal of the latest compilation */
    uint64_t recent[LEDGER_RECENT]; /* atomic: ordinals of the latest, at count % LEDGER_RECENT */
};

/* Entries in something that a framework keeps for the whole process. */
struct registry_record {
    uint32_t name;        /* atomic: string: its name; 0: free */
    uint32_t spare;       /* 0 */
    uint64_t count;       /* atomic: entries now */
    uint64_t most;        /* atomic: the most entries at any reading */
    uint64_t first_count; /* entries at the first reading */
    uint64_t first;       /* ordinal of the first reading */
    uint64_t last;        /* atomic: ordinal of the latest reading */
    uint64_t changed;     /* atomic: ordinal of the latest reading that differed */
    uint64_t rises;       /* atomic: readings that were larger than the one before */
};

/* A pool takes regions from the heap and hands out parts of them, which count as blocks. */
struct pool_record {
    uint32_t name;     /* atomic: string: the framework it belongs to; 0: free */
    uint32_t spare;    /* 0 */
    uint64_t reserved; /* atomic: bytes of its regions, and of the tables that describe them */
    uint64_t live;     /* atomic: bytes that it has handed out */
    uint64_t blocks;   /* atomic: pieces that it has handed out */
    uint64_t most;     /* atomic: the most bytes that were handed out at any time */
};

enum device_kind {
    DEVICE_GPU = 1,  /* of whatever make: its framework does not say */
    DEVICE_CUDA = 2, /* seen at NVIDIA's driver */
    DEVICE_HIP = 3   /* seen at AMD's driver */
};

/* What the live memory of a device is for, as far as the framework knows. */
enum device_role {
    PARAMETERS_ROLE = 0, /* parameters of models that an optimizer trains */
    GRADIENTS_ROLE = 1,  /* their gradients */
    OPTIMIZER_ROLE = 2   /* what the optimizer keeps for them */
};
#define DEVICE_ROLES 3

/* Memory of a device that the process works on, at the last step. The gauges device_used and device_taken are
 * sums over all devices, step by step. A record is written by the probe, which sees each block (`seen` 1), or
 * with an adapter's numbers alone. */
struct device_record {
    uint32_t kind;   /* atomic: enum device_kind; 0: free */
    uint32_t index;  /* its number among the devices of the process, from 0 */
    uint32_t name;   /* string: its name; 0: not known */
    uint32_t seen;   /* 1: the probe sees each block of its memory */
    uint64_t memory; /* bytes of memory that it has; 0: not known */
    uint64_t used;   /* atomic: bytes in use: handed out by a framework's pool, or taken outside of one */
    uint64_t taken;  /* atomic: bytes taken from the driver: in use, or free in a framework's pool */
    uint64_t most;   /* atomic: the most bytes in use at any time */
    uint64_t blocks; /* atomic: blocks in use */
    uint64_t pool;   /* atomic: bytes of `taken` that a framework's pool has taken */
    uint64_t pool_used;   /* atomic: bytes of `used` that a framework's pool has handed out */
    uint64_t returnable;  /* atomic: free bytes that the pool could return to the driver, when last asked */
    uint64_t pinned;      /* atomic: free bytes beside a block in use, which keeps them, when last asked */
    uint64_t roles[DEVICE_ROLES]; /* atomic: bytes by enum device_role, when last asked; 0: not known */
    uint64_t asked;          /* atomic: ordinal of the step in which that was; 0: never */
    uint64_t failed_bytes;   /* atomic: bytes of the latest request that the driver refused; 0: none */
    uint64_t failed_used;    /* atomic: `used` at that time */
    uint64_t failed_taken;   /* atomic: `taken` at that time */
    uint64_t failed_free;    /* atomic: bytes that were free on the device at that time; 0: not known */
    uint64_t failed_ordinal; /* atomic: of the step that was open at that time */
    uint64_t peak; /* atomic: number of the latest peak of all devices; site_record.peak of their sites */
    uint32_t pinning_site;   /* atomic: site of the block that keeps most of them: index + 1; 0: not known */
    uint32_t spare;          /* 0 */
};

struct note_record {
    uint64_t time;    /* CLOCK_MONOTONIC when it was written */
    uint64_t ordinal; /* of the step that was open then */
    uint32_t text;    /* string: the note */
    uint32_t spare;   /* 0 */
};

/* A Python function as it was when first seen on a stack. */
struct code_record {
    uint32_t file;       /* string: path of its source file */
    uint32_t name;       /* string: its qualified name if the interpreter keeps that with the code */
    uint32_t first_line; /* line of the source on which it begins */
    uint32_t version;    /* PY_VERSION_HEX of the interpreter, which decides the form of the line table */
    uint32_t table;      /* first unit of its line table: index + 1; 0: none */
    uint32_t table_size; /* bytes of its line table */
};

/* A JavaScript function as it was when first seen on a stack. */
struct script_record {
    uint32_t file;   /* string: a path, a URL, or the engine's own name for it; 0: none */
    uint32_t name;   /* string: name of the function; 0: it has none */
    uint32_t script; /* the engine's number of the script, unique within one isolate */
    uint32_t spare;  /* 0 */
};

/* The interpreter's own table from instruction offsets to lines, as its bytes are. */
struct table_unit {
    uint8_t bytes[8]; /* eight bytes of the table */
};

/* What counts the work of a process, phase by phase. A phase begins when something else counts the work:
 * steps of the program or a framework, or the turns of another loop. The first phase of a process is its
 * start, which nothing counts. */
enum phase_kind {
    PHASE_START = 0, /* imports and set-up: nothing has ticked yet */
    PHASE_STEPS = 1, /* steps, batches, requests: any clock but those of loops and of time */
    PHASE_LOOP = 2   /* turns of one loop of the program */
};

struct phase_record {
    uint64_t ordinal; /* of the step in which it began */
    uint64_t time;    /* CLOCK_MONOTONIC when it began */
    uint64_t last;    /* atomic: CLOCK_MONOTONIC of its last tick */
    uint64_t turns;   /* ticks of CLOCK_loop before it began */
    uint64_t around;  /* ticks of CLOCK_outer before it began */
    uint64_t work;    /* atomic: nanoseconds of processor time of the process up to the phase's last tick */
    uint64_t after;   /* atomic: nanoseconds of processor time from then to the next phase or the end */
    uint32_t kind;    /* enum phase_kind */
    uint32_t unit;    /* PHASE_LOOP: the function, as in FRAME_PYTHON; 0: not known */
    uint32_t offset;  /* PHASE_LOOP: where in the function the loop begins, in bytes of code */
    uint32_t library; /* PHASE_LOOP: 1: a library's loop that calls the program (an event loop) */
    uint64_t pause;   /* atomic: the second longest processor time between two ticks, in nanoseconds */
};

enum line_flag {
    LINE_SMALL = 1, /* the interpreter's small objects are in the numbers, exactly */
    LINE_LOCALS = 2 /* memory held by local variables is released on the line that ends the call */
};

/* A function measured line by line (docs/lines.md), or one line of it. */
struct line_record {
    uint32_t function;   /* record of the function this line belongs to: index + 1; of a function: its own */
    uint32_t line;       /* the line; 0: this record is the function itself */
    uint32_t file;       /* string: path of the source file */
    uint32_t name;       /* string: qualified name of the function, as it was marked */
    uint32_t first_line; /* line on which the function begins */
    uint32_t flags;      /* atomic: enum line_flag; a flag is set if it is true for every call */
    uint64_t hits;       /* atomic: times that the line was begun; of a function: its calls */
    uint64_t added;      /* atomic: bytes that the thread which ran the line allocated on it */
    uint64_t released;   /* atomic: bytes that the thread which ran the line released on it */
    uint64_t others_added;    /* atomic: bytes that other threads allocated in that time */
    uint64_t others_released; /* atomic: bytes that other threads released in that time */
    int64_t resident;         /* atomic: change of the resident size, in bytes */
    int64_t least;            /* atomic: least change in one stay on the line: bytes added less released */
    int64_t most;             /* atomic: greatest change in one stay on the line: bytes added less released */
    uint64_t time_ns;         /* atomic: nanoseconds spent on the line, calls included */
};

struct lost_record {
    uint64_t count; /* atomic: how many were lost for this reason; the index is enum lost_reason */
};

/* What measuring does to a program beside watching it; from 1 to 8 the numbers of requests.def. */
enum cost_kind {
    COST_last_round = 0, /* the wait for the doctor before the program ended */
    COST_rate = 1,       /* changes of the sampling rate */
    COST_watch = 2,      /* size classes of which every block is sampled, requested or not */
    COST_trim = 3,       /* trims of the heap */
    COST_holders = 4,    /* searches for holders, requested or not */
    COST_account = 5,    /* accounts of the resident size alone */
    COST_collect = 6,    /* collections of garbage */
    COST_objects = 7,    /* windows on small objects */
    COST_snapshot = 8,   /* heap snapshots */
    COST_sync = 9        /* waits for a device; the program runs on */
};
#define COST_KINDS 10

/* What one of these cost the process; the index is enum cost_kind. */
struct cost_record {
    uint64_t count;      /* atomic: how often it was done */
    uint64_t refused;    /* atomic: requests that were refused or could not be carried out */
    uint64_t program_ns; /* atomic: processor time of the program's threads, in nanoseconds */
    uint64_t copy_ns;    /* atomic: processor time of copies of the process, in nanoseconds */
    uint64_t pause_ns;   /* atomic: nanoseconds of all its pauses */
    uint64_t longest_ns; /* atomic: nanoseconds of the longest of these pauses */
    uint64_t bytes;      /* atomic: bytes of its records in the ledger and of the files it wrote */
};

#include "ledger/layout_run.h"

#endif /* TARE_LEDGER_LAYOUT_H */
