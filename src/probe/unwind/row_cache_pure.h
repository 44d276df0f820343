/* row_cache_pure.h - what was once found out about a return address, so that a frame seen before
 * costs a few nanoseconds.
 *
 * A fixed table, four slots per address, in one cache line, so that two addresses of one loop do not
 * drive each other out; shared by all threads without locks. A slot is two words, written one after
 * the other: `value`, and `check` = address ^ value * ROW_MIX. A slot torn by two
 * writers does not give its address back and reads as a miss; should it ever match by chance, the
 * walk goes astray but stays inside its bounds. A value carries the generation of the modules it
 * was made under (14 bits; row_cache_clear when they wrap): those of another are misses.
 */
#ifndef TARE_PROBE_ROW_CACHE_PURE_H
#define TARE_PROBE_ROW_CACHE_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/unwind/eh_frame_pure.h"

#define ROW_SETS_LOG 12
#define ROW_SETS (1u << ROW_SETS_LOG)
#define ROW_WAYS 4
#define ROW_MIX 0x9e3779b97f4a7c15ull
#define ROW_MODULES (1u << 12)
#define ROW_GENERATIONS (1u << 14)

enum row_kind {
    ROW_NONE,          /* not a row: the slot is empty */
    ROW_TABLE_SP,      /* as the like-named enum eh_cfa */
    ROW_TABLE_BP,
    ROW_TABLE_AT_BP,
    ROW_FRAME_POINTER, /* no table: rbp is the frame pointer, or the walk ends */
    ROW_OUTERMOST,
    ROW_SIGNAL
};

struct row {
    enum row_kind kind;
    enum eh_bp bp;
    int32_t cfa_offset; /* bytes */
    int32_t bp_offset;
    unsigned module; /* number in modules.h, 0: none */
};

struct row_slot {
    uint64_t check, value; /* both atomic, relaxed: see above */
};

struct row_cache {
    _Alignas(64) struct row_slot sets[ROW_SETS][ROW_WAYS];
};

/* Bits of a value, from the lowest: kind 3, bp 2, generation 14, module 12, then the two offsets in
 * words of 8 bytes: rbp's 13 bits, the CFA's 20 bits. 0: the row does not fit. */
uint64_t row_pack(const struct row *row, uint32_t generation);

void row_cache_put(struct row_cache *cache, uintptr_t pc, const struct row *row,
                   uint32_t generation);
void row_cache_clear(struct row_cache *cache);

static inline struct row row_unpack(uint64_t value)
{
    return (struct row){.kind = (enum row_kind)(value & 7),
                        .bp = (enum eh_bp)(value >> 3 & 3),
                        .module = (unsigned)(value >> 19) & (ROW_MODULES - 1),
                        .bp_offset = (int32_t)((int64_t)(value << 20) >> 51) * 8,
                        .cfa_offset = (int32_t)((int64_t)value >> 44) * 8};
}

static inline struct row_slot *row_cache_set(struct row_cache *cache, uintptr_t pc)
{
    return cache->sets[pc * ROW_MIX >> (64 - ROW_SETS_LOG)];
}

static inline bool row_is_of(uint64_t value, uint32_t generation)
{
    return (value >> 5 & (ROW_GENERATIONS - 1)) == (generation & (ROW_GENERATIONS - 1));
}

/* The value for this address, 0: none. */
static inline uint64_t row_cache_get(struct row_cache *cache, uintptr_t pc, uint32_t generation)
{
    struct row_slot *set = row_cache_set(cache, pc);

    for (unsigned way = 0; way < ROW_WAYS; way++) {
        const uint64_t value = __atomic_load_n(&set[way].value, __ATOMIC_RELAXED);
        const uint64_t check = __atomic_load_n(&set[way].check, __ATOMIC_RELAXED);

        if ((check ^ value * ROW_MIX) == pc && row_is_of(value, generation))
            return value;
    }
    return 0;
}

#endif /* TARE_PROBE_ROW_CACHE_PURE_H */
