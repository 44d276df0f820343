/* regions.h - the writable private memory of this process, from /proc/self/maps; child only. */
#ifndef TARE_PROBE_REGIONS_H
#define TARE_PROBE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind { REGION_MODULE = 1, REGION_MEMORY, REGION_STACK, REGION_HEAP };

struct region {
    uintptr_t start, end;
    enum region_kind kind;
};

struct regions {
    struct region *list; /* by address */
    size_t count, room;
};

/* Fills the list. `tops`: an address inside each thread's stack. The probe's own data and the
 * task of the search, which is shared memory, are left out. Raw system calls only. */
bool regions_read(struct regions *regions, const uintptr_t *tops, size_t top_count);

/* Whether this page holds anything; reading one that does not would only make it exist. */
bool regions_page_present(uintptr_t page);

#endif /* TARE_PROBE_REGIONS_H */
