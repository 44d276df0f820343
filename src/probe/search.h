/* search.h - what points to these blocks? A conservative search, in a copy of the process.
 *
 * Marks every heap block that can be reached from variables of the program's modules, then from
 * mapped memory, then from stacks; libc's own variables point to free memory too, and are no roots.
 * Each block remembers where the pointer lay that reached it first. Words that look like pointers
 * are taken for pointers.
 * Child only: raw system calls, memory of its own, no heap, no lock.
 */
#ifndef TARE_PROBE_SEARCH_H
#define TARE_PROBE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

#define SEARCH_SITES 4
#define SEARCH_TARGETS 4096 /* blocks of one site */
#define SEARCH_STACKS 1024

struct search_target {
    uintptr_t start, end;
};

struct search_site {
    struct holder_record *answer; /* in the ledger, shared with the parent */
    uint32_t count;
    bool maps; /* the targets are mappings, not heap blocks */
    struct search_target targets[SEARCH_TARGETS];
};

/* Filled by the parent before the copy is made; the copy has it too. */
struct search_task {
    struct search_site sites[SEARCH_SITES];
    unsigned site_count; /* 0: only the account is wanted */
    struct resident_record *account; /* in the ledger; NULL: there was no room for it */
    uintptr_t stack_tops[SEARCH_STACKS];
    size_t stack_count;
    uintptr_t own_stack_low; /* of the thread that makes the copy */
    uintptr_t skip_start, skip_end; /* the probe's own memory */
};

/* Writes the answers; false: it could not be done. */
bool search_run(struct search_task *task);

#endif /* TARE_PROBE_SEARCH_H */
