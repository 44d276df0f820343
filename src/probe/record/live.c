/* live.c - see live.h. Layout and growth are ledger/table.h's; keys and records are twins. */
#include "probe/record/live.h"

#include "base/invariant.h"
#include "ledger/table.h"

#define FILLING 1u /* no block lies at address 1 */

struct tables {
    uint64_t *keys;
    struct block_record *blocks;
    uint64_t used;
};

static struct tables tables_of(const struct ledger *ledger)
{
    return (struct tables){
        .keys = ledger_records(ledger, SECTION_live),
        .blocks = ledger_records(ledger, SECTION_blocks),
        .used = __atomic_load_n(&ledger_entry(ledger, SECTION_live)->used, __ATOMIC_ACQUIRE)};
}

/* The slot of this address; NULL: it is not there. */
static uint64_t *find(const struct tables *t, uint64_t address)
{
    const uint64_t hash = table_hash(address);
    uint64_t start = 0, size = START_live;

    for (; start + size <= t->used; table_next(&start, &size)) {
        const uint64_t window = table_window(hash, start, size);

        for (uint64_t i = window; i < window + TABLE_WINDOW; i++)
            if (__atomic_load_n(&t->keys[i], __ATOMIC_ACQUIRE) == address)
                return &t->keys[i];
    }
    return NULL;
}

bool live_find(const struct ledger *ledger, uint64_t address, struct block_record *out)
{
    const struct tables t = tables_of(ledger);
    const uint64_t *slot = find(&t, address);

    if (slot)
        *out = t.blocks[slot - t.keys];
    return slot != NULL;
}

bool live_remove(struct ledger *ledger, uint64_t address, struct block_record *out)
{
    const struct tables t = tables_of(ledger);
    uint64_t *slot = find(&t, address);

    if (!slot)
        return false;
    *out = t.blocks[slot - t.keys];
    __atomic_store_n(slot, 0, __ATOMIC_RELEASE);
    return true;
}

static bool fill(const struct tables *t, uint64_t slot, uint64_t address,
                 const struct block_record *block)
{
    uint64_t nobody = 0;

    if (__atomic_load_n(&t->keys[slot], __ATOMIC_RELAXED) != 0 ||
        !__atomic_compare_exchange_n(&t->keys[slot], &nobody, FILLING, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
        return false;
    t->blocks[slot] = *block;
    __atomic_store_n(&t->keys[slot], address, __ATOMIC_RELEASE); /* acquired by remove, reader */
    return true;
}

static bool put(const struct tables *t, uint64_t address, const struct block_record *block)
{
    const uint64_t hash = table_hash(address);
    uint64_t start = 0, size = START_live;

    for (; start + size <= t->used; table_next(&start, &size)) {
        const uint64_t window = table_window(hash, start, size);

        for (uint64_t i = window; i < window + TABLE_WINDOW; i++)
            if (fill(t, i, address, block))
                return true;
    }
    return false;
}

bool live_insert(struct ledger *ledger, uint64_t address, const struct block_record *block,
                 bool maybe, struct block_record *old)
{
    struct tables t = tables_of(ledger);

    INVARIANT(address > FILLING);
    old->weight = 0;
    if (maybe)
        (void)live_remove(ledger, address, old);
    while (!put(&t, address, block)) {
        if (!table_grow(ledger, SECTION_live, SECTION_blocks, t.used))
            return false;
        t = tables_of(ledger);
    }
    return true;
}
