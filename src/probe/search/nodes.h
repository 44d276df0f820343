/* nodes.h - the blocks of the heap, which the search knows beforehand; child only. */
#ifndef TARE_PROBE_NODES_H
#define TARE_PROBE_NODES_H

#include <stdint.h>

#include "probe/search/pages.h"
#include "probe/search/task.h"

/* A thing: a chunk by its index, an object by its index and OBJECT_BIT, a root by its index and
 * ROOT_BIT. 0: nothing. */
typedef uint32_t thing;

#define CHUNKS_MOST 128u /* that begin in one page */
#define WORDS_MANY 3
#define WORD_START 0x80
#define WORD_PLAIN 0x40
#define NODE_UNIT 8 /* bytes */

/* Chunks of the heap in use, by address. Index 0 is not used. There may be as many as the program has
 * blocks of 32 bytes, so each field counts: NODE_BYTES in all. */
struct nodes {
    uintptr_t *start;
    uint32_t *size;   /* in units; at most 32 GB: the end of a larger block is not known */
    uintptr_t *where; /* address of the pointer that reached the chunk first */
    thing *from;      /* the thing that contains this pointer; 0: not reached */
    uint8_t *words;   /* how many point into it, up to WORDS_MANY; WORD_START: one does to its start;
                       * WORD_PLAIN: reached from an object that has shown all objects it refers to */
    uint32_t count, room;
    uint32_t in_memory; /* how many of them lie in the program's memory; blocks of devices come after them */
};
#define NODE_BYTES (2 * sizeof(uintptr_t) + sizeof(uint32_t) + sizeof(thing) + 1)
_Static_assert(NODE_BYTES == SEARCH_BLOCK_BYTES, "cost.h predicts the room by it");

static inline uintptr_t nodes_end(const struct nodes *nodes, uint32_t chunk)
{
    return nodes->start[chunk] + (uintptr_t)nodes->size[chunk] * NODE_UNIT;
}

/* The block that this address lies in; 0: none. */
static inline uint32_t nodes_find(const struct nodes *nodes, const struct pages *pages, uintptr_t address)
{
    const struct pages_leaf *leaf = pages_leaf(pages, address);
    uint32_t low = leaf ? leaf->node[pages_index(address)] : 0, high;

    if (low == 0)
        return 0;
    high = low <= nodes->in_memory ? nodes->in_memory : nodes->count; /* each part is in order */
    high = high - low > CHUNKS_MOST ? low + CHUNKS_MOST : high;
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;

        if (nodes->start[middle] <= address)
            low = middle;
        else
            high = middle - 1;
    }
    /* The last word of a block is also where the next chunk's header begins, to which the
     * allocator points. */
    return nodes->start[low] <= address && address + 8 < nodes_end(nodes, low) ? low : 0;
}

#endif /* TARE_PROBE_NODES_H */
