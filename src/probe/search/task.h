/* task.h - what a search is to find, and where it writes its answers. */
#ifndef TARE_PROBE_TASK_H
#define TARE_PROBE_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"
#include "probe/copy/copy.h"

#define SEARCH_SITES 12
#define SEARCH_TARGETS 4096 /* blocks of one site */
#define SEARCH_STACKS 1024
#define SEARCH_CONTROLS 256
#define SEARCH_OWNERS 24    /* steps of one path */
#define SEARCH_NAME 128
#define SEARCH_FILE 512
#define SEARCH_BLOCK_BYTES 25 /* of tables, for each block of the heap */

struct ledger;      /* ledger/writer.h */
struct python_view; /* python_view.h */

/* A block or mapping that is searched for. */
struct search_target {
    uintptr_t start; /* its first byte */
    uintptr_t end;   /* the byte after its last */
    uint64_t birth; /* ordinal of the step in which the block or mapping was made */
};

/* A step of the path through managed objects, as struct owner_record; texts are plain here. */
struct search_owner {
    uint32_t kind, line;
    uint32_t libraries_known; /* as in struct owner_record, like all of these */
    uint64_t libraries_alone, index, left_out, length, bound, hits, misses;
    char name[SEARCH_NAME], type[SEARCH_NAME], file[SEARCH_FILE];
};

/* What the block at the end of the path is, as struct array_record. */
struct search_array {
    uint32_t kind; /* 0: not known */
    uint32_t dtype, dimensions;
    uint64_t elements, bytes, sizes[ARRAY_SIZES];
};

struct search_site {
    struct holder_record *answer; /* in the ledger, shared with the parent */
    uint32_t number; /* number of the site: index + 1 */
    uint32_t count; /* entries of `targets` */
    bool maps;   /* the targets are mappings, not heap blocks */
    bool device; /* the targets are in a device's memory: they have addresses, and cannot be read */
    struct search_target targets[SEARCH_TARGETS]; /* what is searched for */
    bool taken;           /* the program has read the complete answer */
    bool answered;        /* atomic; the copy sets it when at most an addition is missing */
    uint32_t owner_count; /* written by the copy; 0: no path through objects */
    struct search_owner owners[SEARCH_OWNERS]; /* the path through objects, the root first */
    struct search_array array; /* what the block at its end is */
};

/* Filled by the parent before the copy is made; the copy has it too. */
struct search_task {
    struct copy_watch watch; /* limits for the copy */
    struct ledger *ledger; /* the ledger; its pages are shared with the copy */
    const struct python_view *python; /* NULL: no interpreter, or not now */
    bool interpreted; /* the process has an interpreter */
    struct search_site sites[SEARCH_SITES];
    bool awaited;        /* the program waits for the answer and does nothing else */
    unsigned site_count; /* 0: only the account is wanted */
    struct resident_record *account; /* in the ledger; NULL: there was no room for it */
    uintptr_t stack_tops[SEARCH_STACKS];
    size_t stack_count;
    uintptr_t own_stack_low; /* low end of the stack of the thread that makes the copy */
    uintptr_t planted_at; /* a word of that stack that the copy does not need; 0: not known */
    uintptr_t skip_start, skip_end; /* the probe's own memory */
    uintptr_t controls[SEARCH_CONTROLS]; /* old blocks of other sites: a search that works finds them */
    unsigned control_count;
    uintptr_t innermost; /* frame of the Python code that this thread runs; 0: none */
};

#endif /* TARE_PROBE_TASK_H */
