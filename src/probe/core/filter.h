/* filter.h - a quick "certainly not sampled" for every free.
 *
 * Counting cells, one for every 16 bytes of address modulo 2 MB: an insertion adds one to its
 * cell, a removal takes one off, so a cell is zero only when no live sample falls into it. A cell
 * that has reached its end stays there. Neighbours in the heap are neighbours here, so the cells in
 * use stay in the cache with the blocks. A fork wipes it: nothing inherited is a child's sample.
 */
#ifndef TARE_PROBE_FILTER_H
#define TARE_PROBE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FILTER_BITS 17

extern uint8_t filter_cells[1 << FILTER_BITS]; /* atomic */

bool filter_setup(void); /* false: the system cannot wipe it in a child */
void filter_add(const void *block);
void filter_remove(const void *block);
/* Every block in this area takes the slow path, for ever. */
void filter_hold(const void *area, size_t bytes);

static inline size_t filter_cell(const void *block)
{
    return (uintptr_t)block >> 4 & ((1u << FILTER_BITS) - 1);
}

static inline bool filter_may_hold(const void *block)
{
    return __atomic_load_n(&filter_cells[filter_cell(block)], __ATOMIC_RELAXED) != 0;
}

#endif /* TARE_PROBE_FILTER_H */
