/* table.h - the ledger's open-addressed tables: where a key may lie, and how a table grows.
 *
 * A table is a row of slots in doubling segments: [0,c) [c,2c) [2c,4c) …; a key may lie in any
 * active segment, in one window of TABLE_WINDOW slots each. So a table starts small, grows without
 * moving a record (ids stay), and a lookup costs a few cache lines however often slots are reused.
 * There are no tombstones: a slot is taken by compare-and-swap from 0 and given back by storing 0.
 */
#ifndef TARE_LEDGER_TABLE_H
#define TARE_LEDGER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

#define TABLE_WINDOW 8

static inline uint64_t table_hash(uint64_t key)
{
    key *= 0x9E3779B97F4A7C15ull;
    key ^= key >> 32;
    return key * 0xD6E8FEB86659FD93ull;
}

/* First slot of the window for `hash` in the segment of `size` slots that begins at `start`. Sizes
 * are powers of two. */
static inline uint64_t table_window(uint64_t hash, uint64_t start, uint64_t size)
{
    return start + ((hash >> 20) & (size / TABLE_WINDOW - 1)) * TABLE_WINDOW;
}

/* The segment after [start, start + size): it begins where all before it end, and is as long. */
static inline void table_next(uint64_t *start, uint64_t *size)
{
    *start += *size;
    *size = *start;
}

/* Activates one more segment of a TABLE section (and of its twin, 0: none). False: it is full. */
bool table_grow(struct ledger *ledger, enum section section, enum section twin, uint64_t seen);

#endif /* TARE_LEDGER_TABLE_H */
