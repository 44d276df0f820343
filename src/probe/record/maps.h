/* maps.h - mappings that the program makes itself: anonymous memory, and shared memory.
 *
 * Every call is recorded, with its stack. File pages are not memory the program keeps; address
 * space without access is only reserved; what the allocator maps for its heap is counted as
 * reserved, for its blocks are counted already.
 */
#ifndef TARE_PROBE_MAPS_H
#define TARE_PROBE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

struct ledger; /* ledger/writer.h */

#define MAPS_CUT 8 /* pieces that one release can be put together from again */

struct maps_piece {
    uintptr_t start, end;
    uint64_t birth;
    uint32_t site, kind, unit;
    uint32_t object; /* the shared memory that is mapped, if it has a name (names.h) */
};

struct maps_cut {
    struct maps_piece pieces[MAPS_CUT];
    unsigned count;
};

bool maps_setup(void);
/* Once, before the first mapping: what is called when a mapping has probably made a peak. */
void maps_on_peak(void (*look)(struct ledger *ledger));

/* The kind of mapping that this call makes; 0: it does not count. */
uint32_t maps_kind(int protection, int flags, int fd);

/* A mapping as the program has made it. */
struct maps_new {
    void *address;
    size_t length;
    uint32_t kind;
    uint32_t object;                /* as above */
    const void *frame, *caller;     /* `caller`: the code that requested it */
};
void maps_born(const struct maps_new *made);
/* Takes [address, address + length) out, whole records or parts. `cut` (may be NULL) remembers
 * what was taken, so that a refused release can be put back. */
void maps_dead(void *address, size_t length, struct maps_cut *cut);
/* The whole record that holds this address. */
void maps_dead_at(void *address);
void maps_put_back(const struct maps_cut *cut);
/* mremap: what was cut lies at a new address with a new length; its birth and site stay. */
void maps_moved(const struct maps_cut *cut, void *address, size_t length);

/* Shared memory with a name counts on when it is unmapped, until the name is gone: this process has removed
 * it, or a look at some of the names that are left finds that another has. */
void maps_name_removed(const char *name);
void maps_look_at_names(void);

void maps_allocator_grew(int64_t bytes); /* the allocator's own mappings */

uint64_t maps_bytes(enum site_kind kind);

struct maps_flow {
    uint64_t born, dead; /* bytes */
};
/* Bytes mapped and unmapped by the calling thread so far, without an interpreter's arenas. */
struct maps_flow maps_of_thread(void);
uint64_t maps_reserved(void);
void maps_forked(void); /* a new process: what it inherits is not its own growth */

#endif /* TARE_PROBE_MAPS_H */
