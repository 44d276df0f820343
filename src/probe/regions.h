/* regions.h - the writable private memory of this process, from /proc/self/maps; child only. */
#ifndef TARE_PROBE_REGIONS_H
#define TARE_PROBE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind { REGION_MODULE = 1, REGION_MEMORY, REGION_STACK, REGION_HEAP, REGION_SYSTEM, REGION_PROBE };

struct region {
    uintptr_t start, end;
    enum region_kind kind; /* SYSTEM: variables of libc and the loader; they are no roots */
};

struct regions {
    struct region *list; /* by address */
    size_t count, room;
};

/* Fills the list. `tops`: an address inside each thread's stack. The task of the search,
 * which is shared memory, is left out. Raw system calls only. */
bool regions_read(struct regions *regions, const uintptr_t *tops, size_t top_count);

/* Resident bytes in [start, end). */
uint64_t regions_resident(uintptr_t start, uintptr_t end);

/* Forgets what was read; a descriptor is not kept in the program. */
void regions_close(void);

/* Whether this page holds anything; reading one that does not would only make it exist. */
bool regions_page_present(uintptr_t page);

#endif /* TARE_PROBE_REGIONS_H */
