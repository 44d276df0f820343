/* regions.h - the memory of this process, from /proc/self/maps; child only. */
#ifndef TARE_PROBE_REGIONS_H
#define TARE_PROBE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind {
    REGION_MODULE = 1,
    REGION_MEMORY,
    REGION_STACK,
    REGION_HEAP,
    REGION_SYSTEM, /* variables of libc and the loader; they are not roots */
    REGION_PROBE,
    REGION_CONSTANT /* may be read, and nothing more: code, constants, shared memory */
};

struct region {
    uintptr_t start, end;
    enum region_kind kind;
};

struct regions {
    struct region *list; /* by address */
    size_t count, room;
};

/* Fills the list. `tops`: an address inside each thread's stack. Devices and what the kernel keeps for
 * itself are left out. Raw system calls only. */
bool regions_read(struct regions *regions, const uintptr_t *tops, size_t top_count);

/* Where a heap's chunks end: a further arena's heap is mapped larger than it is. */
uintptr_t regions_heap_end(const struct region *region);
#define REGIONS_ARENA_ALIGN (64ul << 20) /* where glibc puts the heaps of its further arenas */

/* Resident bytes in [start, end). */
uint64_t regions_resident(uintptr_t start, uintptr_t end);

/* Forgets what was read; a descriptor is not kept in the program. */
void regions_close(void);

/* Whether this page holds anything; reading one that does not would only make it exist. */
bool regions_page_present(uintptr_t page);

#endif /* TARE_PROBE_REGIONS_H */
