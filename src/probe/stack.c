/* stack.c - see stack.h.
 *
 * A stack is a path in a tree of frames, so that deep stacks share their outer part. A private
 * cache from the hash of a whole stack to its id makes the warm case one lookup.
 */
#include "probe/stack.h"

#include "ledger/table.h"
#include "probe/own.h"
#include "probe/stack_native.h"

#define DEPTH 96
#define CACHE_SLOTS 4096

struct known {
    uint64_t check; /* hash ^ id: a torn pair does not match */
    uint64_t id;
};

static struct known *known; /* private pages; NULL: no cache */

void stack_setup(void)
{
    known = own_map(CACHE_SLOTS * sizeof(*known)); /* a child's ids begin anew: it is empty there */
}

/* ---- interning ---- */

/* Id of the frame in this window, made if there is room; 0: neither. */
static uint32_t find_in(struct stack_record *records, uint64_t window, uint64_t link,
                        uint64_t offset)
{
    for (uint64_t i = window; i < window + TABLE_WINDOW; i++) {
        uint64_t seen = __atomic_load_n(&records[i].link, __ATOMIC_ACQUIRE);

        if (seen == 0 && __atomic_compare_exchange_n(&records[i].link, &seen, FRAME_BUSY, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            records[i].offset = offset;
            __atomic_store_n(&records[i].link, link, __ATOMIC_RELEASE); /* acquired above */
            return (uint32_t)i + 1;
        }
        if (seen == link && records[i].offset == offset)
            return (uint32_t)i + 1;
        /* A slot being filled may hold the same frame: passing it by costs a twin, no more. */
    }
    return 0;
}

static uint32_t intern(struct ledger *ledger, uint64_t link, uint64_t offset)
{
    const uint64_t hash = table_hash(link ^ table_hash(offset));
    struct section_entry *entry = ledger_entry(ledger, SECTION_stacks);
    struct stack_record *records = ledger_records(ledger, SECTION_stacks);
    uint64_t start = 0, size = START_stacks;

    for (;;) {
        const uint64_t used = __atomic_load_n(&entry->used, __ATOMIC_ACQUIRE);

        for (; start + size <= used; table_next(&start, &size)) {
            const uint32_t id = find_in(records, table_window(hash, start, size), link, offset);

            if (id)
                return id;
        }
        if (!table_grow(ledger, SECTION_stacks, 0, used))
            return 0;
    }
}

static uint32_t intern_all(struct ledger *ledger, const struct native_frame *frames,
                           unsigned count)
{
    uint32_t id = 0;

    for (unsigned i = count; i-- > 0;) { /* outermost first */
        const uint64_t link =
            (uint64_t)id << 32 | (uint64_t)(frames[i].unit & 0xffffffu) << 8 | FRAME_NATIVE;
        const uint32_t next_id = intern(ledger, link, frames[i].offset);

        if (!next_id) {
            ledger_lose(ledger, LOST_stacks_full, 1);
            return id; /* the outer part, cut here */
        }
        id = next_id;
    }
    return id;
}

static uint64_t hash_of(const struct native_frame *frames, unsigned count)
{
    uint64_t hash = count;

    for (unsigned i = 0; i < count; i++)
        hash = (hash ^ frames[i].offset ^ (uint64_t)frames[i].unit << 44) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

uint32_t stack_take(struct ledger *ledger, const void *frame)
{
    const uintptr_t *at = frame;
    const struct stack_start start = {
        .pc = at[1], .sp = (uintptr_t)frame + 2 * sizeof(*at), .bp = at[0]};
    struct stack_bounds bounds = {.low = start.sp};
    struct native_frame frames[DEPTH];
    bool complete = true;
    unsigned count;
    uint64_t hash;
    struct known *slot;
    uint32_t id;

    (void)stack_bounds_of_thread(&bounds);
    count = stack_native_walk(&start, &bounds, frames, DEPTH, &complete);
    if (!complete)
        ledger_lose(ledger, LOST_stack_unknown, 1);
    hash = hash_of(frames, count);
    slot = known ? &known[hash % CACHE_SLOTS] : NULL;
    if (slot) {
        const uint64_t cached = __atomic_load_n(&slot->id, __ATOMIC_RELAXED);

        if (cached && __atomic_load_n(&slot->check, __ATOMIC_RELAXED) == (hash ^ cached))
            return (uint32_t)cached;
    }
    id = intern_all(ledger, frames, count);
    if (slot && id) {
        __atomic_store_n(&slot->check, hash ^ id, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->id, id, __ATOMIC_RELAXED);
    }
    return id;
}
