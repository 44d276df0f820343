/* driver_blocks.c - see driver_blocks.h. Layout and growth are those of ledger/table.h, in memory of our
 * own. */
#include "probe/devices/driver_blocks.h"

#include "ledger/table.h"
#include "probe/core/brief_lock.h"
#include "probe/core/own.h"
#include "probe/core/state.h"

#define FIRST      1024u
#define MOST       65536u
#define FILLING    1u           /* no block lies at address 1 */
#define PAGE       (2u << 20)   /* memory that is mapped begins at a multiple of this */
#define PAGES_MOST 16           /* pages of a range that are searched one by one */
#define TRIES      100000

/* Slots: keys are addresses, 0: free. */
static uint64_t *keys; /* atomic pointer; MOST of them, and atomics themselves */
static struct driver_block *blocks;
static uint64_t used; /* atomic: slots that are in use by segments; 0: there is no table yet */
static uint8_t making; /* atomic */

static uint64_t used_now(void)
{
    return __atomic_load_n(&used, __ATOMIC_ACQUIRE);
}

/* The memory stays mapped in a forked child, empty. */
static bool make(void)
{
    if (used_now() > 0)
        return true;
    if (!brief_lock(&making, TRIES))
        return false;
    if (!keys) {
        blocks = own_map(MOST * sizeof(*blocks));
        keys = blocks ? own_map(MOST * sizeof(*keys)) : NULL;
    }
    if (keys && used_now() == 0)
        __atomic_store_n(&used, FIRST, __ATOMIC_RELEASE);
    brief_unlock(&making);
    return used_now() > 0;
}

static bool grow(uint64_t seen)
{
    if (seen >= MOST)
        return false;
    (void)__atomic_compare_exchange_n(&used, &seen, seen * 2, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    return true;
}

static struct driver_block *find(uint64_t address)
{
    const uint64_t hash = table_hash(address), end = used_now();

    if (address <= FILLING)
        return NULL;
    for (uint64_t start = 0, size = FIRST; start + size <= end; table_next(&start, &size)) {
        const uint64_t window = table_window(hash, start, size);

        for (uint64_t i = window; i < window + TABLE_WINDOW; i++)
            if (__atomic_load_n(&keys[i], __ATOMIC_ACQUIRE) == address)
                return &blocks[i];
    }
    return NULL;
}

static bool put_below(uint64_t end, uint64_t address, const struct driver_block *block)
{
    const uint64_t hash = table_hash(address);

    for (uint64_t start = 0, size = FIRST; start + size <= end; table_next(&start, &size)) {
        const uint64_t window = table_window(hash, start, size);

        for (uint64_t i = window; i < window + TABLE_WINDOW; i++) {
            uint64_t nobody = 0;

            if (__atomic_load_n(&keys[i], __ATOMIC_RELAXED) != 0 ||
                !__atomic_compare_exchange_n(&keys[i], &nobody, FILLING, false, __ATOMIC_ACQUIRE,
                                             __ATOMIC_RELAXED))
                continue;
            blocks[i] = *block;
            __atomic_store_n(&keys[i], address, __ATOMIC_RELEASE); /* acquired by find */
            return true;
        }
    }
    return false;
}

bool driver_blocks_put(uint64_t address, const struct driver_block *block)
{
    bool room = address > FILLING && make();
    uint64_t end = used_now();

    while (room && !put_below(end, address, block)) {
        room = grow(end);
        end = used_now();
    }
    if (!room)
        state_lose(LOST_device_blocks_full, 1);
    return room;
}

/* Whoever takes the key out has the block. */
static bool take(struct driver_block *block, uint64_t address, struct driver_block *out)
{
    uint64_t expected = address;

    *out = *block;
    return __atomic_compare_exchange_n(&keys[block - blocks], &expected, 0, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

bool driver_blocks_take(uint64_t address, struct driver_block *out)
{
    struct driver_block *block = find(address);

    return block && take(block, address, out);
}

void driver_blocks_hold(uint64_t handle)
{
    struct driver_block *block = find(handle);

    if (block)
        (void)__atomic_add_fetch(&block->references, 1, __ATOMIC_RELAXED);
}

bool driver_blocks_let_go(uint64_t handle, struct driver_block *out)
{
    struct driver_block *block = find(handle);

    return block && __atomic_sub_fetch(&block->references, 1, __ATOMIC_ACQ_REL) == 0 &&
           take(block, handle, out);
}

static bool is_chosen(const struct driver_choice *choice, uint64_t address, const struct driver_block *block)
{
    return block->what == choice->what && address - choice->from < choice->end - choice->from &&
           (choice->kind == 0 || block->kind == choice->kind) &&
           (choice->owner == 0 || block->owner == choice->owner) &&
           (choice->device < 0 || block->device == choice->device);
}

bool driver_blocks_take_one(struct driver_choice *choice, uint64_t *at, struct driver_block *out)
{
    const uint64_t end = used_now();

    while (choice->seen < end) {
        const uint64_t i = choice->seen++, address = __atomic_load_n(&keys[i], __ATOMIC_ACQUIRE);

        if (address > FILLING && is_chosen(choice, address, &blocks[i]) && take(&blocks[i], address, out)) {
            *at = address;
            return true;
        }
    }
    return false;
}

/* ---- pools ---- */

/* The block whose memory it is, if this is news. */
static bool mark(struct driver_block *block, uint64_t address, uint64_t *at, struct driver_block *out)
{
    *at = address;
    if (!block || block->what == BLOCK_PINNED || __atomic_exchange_n(&block->pool, true, __ATOMIC_ACQ_REL))
        return false;
    if (block->what == BLOCK_MAPPING) {
        *at = block->owner;
        block = find(block->owner);
        if (!block || block->what != BLOCK_HANDLE ||
            __atomic_exchange_n(&block->pool, true, __ATOMIC_ACQ_REL))
            return false;
    }
    *out = *block;
    return true;
}

/* Where the range is long, all blocks are compared with it instead. */
static bool claim_far(uint64_t from, uint64_t end, uint64_t *at, struct driver_block *out)
{
    const uint64_t slots = used_now();

    for (uint64_t i = 0; i < slots; i++) {
        const uint64_t address = __atomic_load_n(&keys[i], __ATOMIC_ACQUIRE);

        if (address > FILLING && address - from < end - from && mark(&blocks[i], address, at, out))
            return true;
    }
    return false;
}

/* The first block that a pool hands out of new memory begins where that begins; and new memory that
 * lengthens what the pool had begins at a page. */
bool driver_blocks_claim(uint64_t *from, uint64_t end, uint64_t *at, struct driver_block *out)
{
    if (used_now() == 0 || *from >= end)
        return false;
    if (end - *from > (uint64_t)PAGES_MOST * PAGE)
        return claim_far(*from, end, at, out);
    while (*from < end) {
        const uint64_t address = *from;

        *from = (address / PAGE + 1) * PAGE;
        if (mark(find(address), address, at, out))
            return true;
    }
    return false;
}

void driver_blocks_forked(void)
{
    used = 0;
    making = 0;
}
