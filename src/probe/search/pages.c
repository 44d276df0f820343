/* pages.c - see pages.h. */
#include "probe/search/pages.h"

#include <fcntl.h>

#include "base/quiet.h"
#include "probe/copy/copy.h"
#include "probe/copy/regions.h"
#include "probe/core/raw.h"

#define WINDOW 8192               /* pages of one look into the page map */

static struct pages_leaf *leaf_made(struct pages *pages, uintptr_t address)
{
    struct pages_leaf **leaf = &pages->leaves[address >> (PAGES_LEAF_BITS + PAGE_BITS)];

    if (!*leaf)
        *leaf = raw_map(sizeof(**leaf)); /* little of it is touched: that is counted below */
    return *leaf;
}

/* What a leaf takes for so many pages: a flag and a block's number each. The marks of
 * words take a 64th of the memory in which objects lie. */
static bool count_pages(uintptr_t start, uintptr_t end)
{
    const struct pages_leaf *leaf;

    return copy_take((end - start) / PAGE_BYTES *
                     (sizeof(leaf->node[0]) + sizeof(leaf->flags[0])));
}

static bool set_flags(struct pages *pages, uintptr_t start, uintptr_t end, unsigned flags)
{
    for (uintptr_t page = start; page < end; page += PAGE_BYTES) {
        struct pages_leaf *leaf = leaf_made(pages, page);

        if (!leaf)
            return false;
        leaf->flags[pages_index(page)] |= (uint8_t)flags;
    }
    return true;
}

/* Skips pages that were never touched: reading one would allocate it. */
static void set_present(struct pages *pages, uintptr_t start, uintptr_t end, int pagemap)
{
    static uint64_t entries[WINDOW];

    for (uintptr_t at = start; at < end;) {
        const uintptr_t left = (end - at) / PAGE_BYTES, count = left < WINDOW ? left : WINDOW;
        const long got = pagemap < 0 ? -1
                                     : quiet_read_at(pagemap, entries, count * sizeof(entries[0]),
                                                     at / PAGE_BYTES * sizeof(entries[0]));

        for (uintptr_t i = 0; i < count; i++)
            if (got < (long)((i + 1) * sizeof(entries[0])) || entries[i] >> 62 != 0)
                (void)set_flags(pages, at + i * PAGE_BYTES, at + (i + 1) * PAGE_BYTES,
                                PAGE_PRESENT);
        at += count * PAGE_BYTES;
    }
}

bool pages_fill(struct pages *pages, const struct regions *regions)
{
    const int pagemap = quiet_open(AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
    bool complete = true;

    pages->leaves = copy_map(sizeof(pages->leaves[0]) << PAGES_TOP_BITS);
    if (!pages->leaves || regions->count == 0)
        return false;
    pages->low = regions->list[0].start;
    for (size_t i = 0; i < regions->count && complete; i++) {
        const struct region *region = &regions->list[i];

        if (!pages_are_covered(region))
            continue;
        pages->span = region->end - pages->low;
        complete = count_pages(region->start, region->end) &&
                   set_flags(pages, region->start, region->end, PAGE_READABLE);
        if (complete && region->kind != REGION_CONSTANT)
            set_present(pages, region->start, region->end, pagemap);
    }
    if (pagemap >= 0)
        quiet_close(pagemap);
    return complete;
}

bool pages_cover(struct pages *pages, uintptr_t start, uintptr_t end)
{
    const uintptr_t low = start < pages->low ? start & ~(PAGE_BYTES - 1) : pages->low;
    const uintptr_t high = end > pages->low + pages->span ? end : pages->low + pages->span;

    if (end >> 47 || end < start || !count_pages(start, end))
        return false;
    pages->low = low;
    pages->span = high - low;
    for (uintptr_t at = start; at < end; at += PAGE_BYTES << PAGES_LEAF_BITS)
        if (!leaf_made(pages, at))
            return false;
    return leaf_made(pages, end - 1) != NULL;
}

void pages_forget(struct pages *pages)
{
    for (size_t i = 0; i < 1u << PAGES_TOP_BITS; i++) {
        struct pages_leaf *leaf = pages->leaves[i];

        if (!leaf)
            continue;
        for (uint32_t page = 0; page < 1u << PAGES_LEAF_BITS; page++)
            if (leaf->flags[page] & PAGE_PYTHON)
                leaf->flags[page] &= (uint8_t)~PAGE_PYTHON;
        (void)syscall(SYS_madvise, leaf->known, sizeof(leaf->known), MADV_DONTNEED);
    }
}

void pages_enter(struct pages *pages, uintptr_t start, uintptr_t end, uint32_t node)
{
    for (uintptr_t page = start & ~(PAGE_BYTES - 1); page < end; page += PAGE_BYTES) {
        struct pages_leaf *leaf = pages_leaf(pages, page);

        if (leaf && leaf->node[pages_index(page)] == 0)
            leaf->node[pages_index(page)] = node;
    }
}
