/* pages.h - one look-up for every address: may it be read, is anything there, which block is it in.
 *
 * A table of two levels over the address space, filled once from the list of regions and the kernel's
 * page map. Child only: raw system calls, memory of its own.
 */
#ifndef TARE_PROBE_PAGES_H
#define TARE_PROBE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/copy/regions.h"
#include "probe/core/raw.h"


#define PAGES_LEAF_BITS 18 /* pages of one leaf: 1 GiB of addresses */
#define PAGES_TOP_BITS (47 - PAGES_LEAF_BITS - PAGE_BITS)

enum page_flag {
    PAGE_READABLE = 1,
    PAGE_PRESENT = 2,
    PAGE_PYTHON = 4 /* an object lies here that is not a block of its own */
};

struct pages_leaf {
    uint32_t node[1u << PAGES_LEAF_BITS]; /* the first block that lies in this page; 0: none */
    uint8_t flags[1u << PAGES_LEAF_BITS]; /* enum page_flag */
    uint64_t known[1u << PAGES_LEAF_BITS][PAGE_BYTES / 8 / 64]; /* one bit for each word */
};

struct pages {
    struct pages_leaf **leaves;
    uintptr_t low, span; /* lowest readable address, and bytes from there to the highest */
};

/* A larger mapping is only a reservation, and walking it would take seconds. */
#define PAGES_REGION_LARGEST (64ul << 30)

/* False: the region is left out of the table. */
static inline bool pages_are_covered(const struct region *region)
{
    return region->end >> 47 == 0 && region->end - region->start <= PAGES_REGION_LARGEST;
}

/* False: no memory. */
bool pages_fill(struct pages *pages, const struct regions *regions);

static inline struct pages_leaf *pages_leaf(const struct pages *pages, uintptr_t address)
{
    return address - pages->low < pages->span
               ? pages->leaves[address >> (PAGES_LEAF_BITS + PAGE_BITS)]
               : NULL;
}

static inline uint32_t pages_index(uintptr_t address)
{
    return (uint32_t)(address >> PAGE_BITS) & ((1u << PAGES_LEAF_BITS) - 1);
}

static inline unsigned pages_flags(const struct pages *pages, uintptr_t address)
{
    const struct pages_leaf *leaf = pages_leaf(pages, address);

    return leaf ? leaf->flags[pages_index(address)] : 0;
}

/* Whether every byte of [at, at + size) may be read; for sizes up to a few pages. */
static inline bool pages_readable(const struct pages *pages, uintptr_t at, uintptr_t size)
{
    if (at + size < at)
        return false;
    for (uintptr_t page = at & ~(PAGE_BYTES - 1); page < at + size; page += PAGE_BYTES)
        if (!(pages_flags(pages, page) & PAGE_READABLE))
            return false;
    return true;
}

/* Whether this word has been marked; `address` is in memory that may be read. */
static inline bool pages_known(const struct pages *pages, uintptr_t address)
{
    const struct pages_leaf *leaf = pages_leaf(pages, address);

    return leaf && leaf->known[pages_index(address)][address >> 9 & 7] >> (address >> 3 & 63) & 1;
}

static inline void pages_know(struct pages *pages, uintptr_t address)
{
    pages_leaf(pages, address)->known[pages_index(address)][address >> 9 & 7] |=
        1ull << (address >> 3 & 63);
}

/* Clears all marks of words and all page flags for objects; blocks stay. */
void pages_forget(struct pages *pages);

/* Makes room in the table for a block that lies outside of all regions; its pages cannot be read. False: no
 * memory. */
bool pages_cover(struct pages *pages, uintptr_t start, uintptr_t end);

/* Enters a block: blocks come in order of address. */
void pages_enter(struct pages *pages, uintptr_t start, uintptr_t end, uint32_t node);

#endif /* TARE_PROBE_PAGES_H */
