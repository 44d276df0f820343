/* search.h - what points to these blocks? A search in a copy of the process.
 *
 * Marks every heap block that can be reached: first from the objects of an interpreter, if there is
 * one that is known (python_roots.h), then from variables of the program's modules, from mapped
 * memory, from stacks; libc's own variables point to free memory too, and are no roots. Each block
 * remembers what reached it first. Words of native memory that look like pointers are taken for
 * pointers.
 * Child only: raw system calls, memory of its own, no heap, no lock.
 */
#ifndef TARE_PROBE_SEARCH_H
#define TARE_PROBE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"
#include "probe/copy.h"

#define SEARCH_SITES 12
#define SEARCH_TARGETS 4096 /* blocks of one site */
#define SEARCH_STACKS 1024
#define SEARCH_CONTROLS 256
#define SEARCH_OWNERS 24    /* steps of one path */
#define SEARCH_NAME 128
#define SEARCH_FILE 512

struct ledger;      /* ledger/writer.h */
struct python_view; /* python_view.h */

struct search_target {
    uintptr_t start, end;
    uint64_t birth; /* ordinal; of a mapping, too */
};

/* A step of the path through managed objects, as struct owner_record; texts are plain here. */
struct search_owner {
    uint32_t kind, line;
    uint64_t number, length, bound, hits, misses;
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
    uint32_t number; /* of the site: index + 1 */
    uint32_t count;
    bool maps; /* the targets are mappings, not heap blocks */
    struct search_target targets[SEARCH_TARGETS];
    bool taken;           /* by the program: its answer is complete, and was seen */
    bool answered;        /* atomic, released by the copy: nothing but an addition is missing */
    uint32_t owner_count; /* written by the copy; 0: no path through objects */
    struct search_owner owners[SEARCH_OWNERS];
    struct search_array array;
};

/* Filled by the parent before the copy is made; the copy has it too. */
struct search_task {
    struct copy_watch watch; /* bounds of the copy */
    struct ledger *ledger; /* its pages are shared */
    const struct python_view *python; /* NULL: no interpreter, or not now */
    bool interpreted; /* there is one */
    struct search_site sites[SEARCH_SITES];
    bool awaited;        /* the program does nothing else meanwhile */
    unsigned site_count; /* 0: only the account is wanted */
    struct resident_record *account; /* in the ledger; NULL: there was no room for it */
    uintptr_t stack_tops[SEARCH_STACKS];
    size_t stack_count;
    uintptr_t own_stack_low; /* of the thread that makes the copy */
    uintptr_t skip_start, skip_end; /* the probe's own memory */
    uintptr_t controls[SEARCH_CONTROLS]; /* old blocks of other sites: a search that works finds them */
    unsigned control_count;
    uintptr_t innermost; /* frame of the Python code that this thread runs; 0: none */
};

/* Writes the answers, each with its state, then the account; false: it could not be done. */
bool search_run(struct search_task *task);

#endif /* TARE_PROBE_SEARCH_H */
