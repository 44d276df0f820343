/* arenas.c - see arenas.h.
 *
 * One bit for each page, in leaves of a gigabyte of addresses, which are made when an arena lies there.
 */
#include "probe/python/arenas.h"

#include <string.h>

#include "probe/core/raw.h"

#define PAGE_BITS 12
#define LEAF_BITS 30 /* addresses of one leaf */
#define LEAF_WORDS (1u << (LEAF_BITS - PAGE_BITS - 6))
#define LEAVES 64
#define POOL_SIZE_INDEX 36 /* in the head of a pool: an unsigned, which size its blocks have */
#define SMALL_MOST 512

static uint8_t leaf_of[1u << (47 - LEAF_BITS)]; /* atomic: leaf + 1; 0: no arena there */
static uint64_t *leaves[LEAVES]; /* words atomic; a child has its parent's arenas: not wiped by a fork */
static uint32_t leaf_count;                     /* atomic */
static bool overflown;                          /* atomic: an arena could not be noted */
static uintptr_t pool_bytes;                    /* 0: nothing learned */
static size_t unit;                             /* of the sizes */

static uint64_t *leaf_at(uintptr_t address)
{
    const uint8_t leaf = __atomic_load_n(&leaf_of[address >> LEAF_BITS], __ATOMIC_ACQUIRE);

    return leaf ? leaves[leaf - 1] : NULL;
}

static uint64_t *leaf_made(uintptr_t address)
{
    uint64_t *leaf = leaf_at(address);
    uint32_t index;

    if (leaf)
        return leaf;
    leaf = raw_map(LEAF_WORDS * sizeof(*leaf));
    index = leaf ? __atomic_fetch_add(&leaf_count, 1, __ATOMIC_ACQ_REL) : LEAVES;
    if (index >= LEAVES) {
        if (leaf)
            (void)syscall(SYS_munmap, leaf, LEAF_WORDS * sizeof(*leaf));
        __atomic_store_n(&overflown, true, __ATOMIC_RELAXED);
        return NULL;
    }
    leaves[index] = leaf;
    __atomic_store_n(&leaf_of[address >> LEAF_BITS], (uint8_t)(index + 1), __ATOMIC_RELEASE);
    return leaves[index];
}

static void set_page(uint64_t *leaf, uintptr_t address, bool there)
{
    const uintptr_t page = address >> PAGE_BITS & ((1u << (LEAF_BITS - PAGE_BITS)) - 1);
    const uint64_t bit = 1ull << (page & 63);

    if (there)
        (void)__atomic_or_fetch(&leaf[page >> 6], bit, __ATOMIC_RELAXED);
    else
        (void)__atomic_and_fetch(&leaf[page >> 6], ~bit, __ATOMIC_RELAXED);
}

void arenas_born(uintptr_t start, size_t length)
{
    for (uintptr_t at = start; at < start + length; at += 1u << PAGE_BITS) {
        uint64_t *leaf = at >> 47 ? NULL : leaf_made(at);

        if (leaf)
            set_page(leaf, at, true);
    }
}

void arenas_dead(uintptr_t start, size_t length)
{
    uintptr_t at = start;

    while (at < start + length && at >> 47 == 0) {
        uint64_t *leaf = leaf_at(at);

        if (leaf) {
            set_page(leaf, at, false);
            at += 1u << PAGE_BITS;
        } else {
            at = ((at >> LEAF_BITS) + 1) << LEAF_BITS;
        }
    }
}

static inline bool is_arena(uintptr_t address)
{
    const uint64_t *leaf = address >> 47 ? NULL : leaf_at(address);
    const uintptr_t page = address >> PAGE_BITS & ((1u << (LEAF_BITS - PAGE_BITS)) - 1);

    return leaf && __atomic_load_n(&leaf[page >> 6], __ATOMIC_RELAXED) >> (page & 63) & 1;
}

static uint32_t index_in(uintptr_t address, uintptr_t pool)
{
    uint32_t index;

    memcpy(&index, (const void *)((address & ~(pool - 1)) + POOL_SIZE_INDEX), sizeof(index));
    return index;
}

size_t arenas_size(const void *block)
{
    const uintptr_t at = (uintptr_t)block;
    size_t size;

    if (!pool_bytes || !is_arena(at) || !is_arena(at & ~(pool_bytes - 1)))
        return 0;
    size = (index_in(at, pool_bytes) + (size_t)1) * unit;
    return size <= SMALL_MOST ? size : 0;
}

/* Do the pools say the size of this block, if they are so large and sizes go up by `step`? */
static bool agrees(const void *block, size_t size, uintptr_t pool, size_t step)
{
    const uintptr_t at = (uintptr_t)block;

    return is_arena(at) && is_arena(at & ~(pool - 1)) && index_in(at, pool) == (size - 1) / step;
}

static bool all_agree(void *(*allocate)(size_t size), void (*release)(void *block), uintptr_t pool,
                      size_t step)
{
    bool agree = true;

    for (size_t size = 1; size <= SMALL_MOST && agree; size += 7) {
        void *block = allocate(size);

        agree = block && agrees(block, size, pool, step);
        if (block)
            release(block);
    }
    return agree;
}

bool arenas_learn(void *(*allocate)(size_t size), void (*release)(void *block))
{
    static const uintptr_t pools[] = {1u << 14, 1u << 12};

    if (__atomic_load_n(&overflown, __ATOMIC_RELAXED))
        return false;
    for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]) && !pool_bytes; i++)
        for (size_t step = 16; step >= 8 && !pool_bytes; step -= 8)
            if (all_agree(allocate, release, pools[i], step)) {
                unit = step;
                pool_bytes = pools[i];
            }
    return pool_bytes != 0;
}
