/* row_cache_pure.c - see the header. */
#include "probe/unwind/row_cache_pure.h"

static bool fits(int32_t offset, unsigned bits)
{
    const int32_t limit = (int32_t)(1u << (bits - 1));

    return offset % 8 == 0 && offset / 8 >= -limit && offset / 8 < limit;
}

uint64_t row_pack(const struct row *row, uint32_t generation)
{
    if (!fits(row->cfa_offset, 20) || !fits(row->bp_offset, 13) || row->module >= ROW_MODULES)
        return 0;
    return (uint64_t)row->kind | (uint64_t)row->bp << 3 |
           (uint64_t)(generation & (ROW_GENERATIONS - 1)) << 5 | (uint64_t)row->module << 19 |
           ((uint64_t)(row->bp_offset / 8) & 0x1fff) << 31 | (uint64_t)(row->cfa_offset / 8) << 44;
}

/* The slot of this address, else the first free one, else any. */
static struct row_slot *slot_for(struct row_slot *set, uintptr_t pc, uint32_t generation)
{
    struct row_slot *slot = NULL;

    for (unsigned way = 0; way < ROW_WAYS; way++) {
        const uint64_t value = __atomic_load_n(&set[way].value, __ATOMIC_RELAXED);
        const uint64_t check = __atomic_load_n(&set[way].check, __ATOMIC_RELAXED);

        if ((check ^ value * ROW_MIX) == pc)
            return &set[way];
        if (!slot && ((value & 7) == ROW_NONE || !row_is_of(value, generation)))
            slot = &set[way];
    }
    return slot ? slot : &set[pc * ROW_MIX >> 8 & (ROW_WAYS - 1)];
}

void row_cache_put(struct row_cache *cache, uintptr_t pc, const struct row *row,
                   uint32_t generation)
{
    const uint64_t value = row_pack(row, generation);
    struct row_slot *slot;

    if (value == 0)
        return;
    slot = slot_for(row_cache_set(cache, pc), pc, generation);
    __atomic_store_n(&slot->value, value, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->check, pc ^ value * ROW_MIX, __ATOMIC_RELAXED);
}

void row_cache_clear(struct row_cache *cache)
{
    for (unsigned i = 0; i < ROW_SETS * ROW_WAYS; i++) {
        struct row_slot *slot = &cache->sets[i / ROW_WAYS][i % ROW_WAYS];

        __atomic_store_n(&slot->check, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->value, 0, __ATOMIC_RELAXED);
    }
}
