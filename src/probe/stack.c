/* stack.c - see stack.h.
 *
 * A stack is a path in a tree of frames, so that deep stacks share their outer part. A private
 * cache from the hash of a whole stack to its id makes the warm case one lookup.
 */
#include "probe/stack.h"

#include "ledger/table.h"
#include "probe/own.h"
#include "probe/stack_native.h"
#include "probe/stack_python.h"

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

static uint32_t intern_all(struct ledger *ledger, enum frame_kind kind,
                           const struct native_frame *frames, unsigned count)
{
    uint32_t id = 0;

    for (unsigned i = count; i-- > 0;) { /* outermost first */
        const uint64_t link =
            (uint64_t)id << 32 | (uint64_t)(frames[i].unit & 0xffffffu) << 8 | kind;
        const uint32_t next_id = intern(ledger, link, frames[i].offset);

        if (!next_id) {
            ledger_lose(ledger, LOST_stacks_full, 1);
            return id; /* the outer part, cut here */
        }
        id = next_id;
    }
    return id;
}

/* ---- taking ---- */

static uint32_t cached(uint64_t hash)
{
    const struct known *slot = known ? &known[hash % CACHE_SLOTS] : NULL;
    const uint64_t id = slot ? __atomic_load_n(&slot->id, __ATOMIC_RELAXED) : 0;

    return id && __atomic_load_n(&slot->check, __ATOMIC_RELAXED) == (hash ^ id) ? (uint32_t)id : 0;
}

static void cache(uint64_t hash, uint32_t id)
{
    struct known *slot = known ? &known[hash % CACHE_SLOTS] : NULL;

    if (slot && id) {
        __atomic_store_n(&slot->check, hash ^ id, __ATOMIC_RELAXED);
        __atomic_store_n(&slot->id, id, __ATOMIC_RELAXED);
    }
}

static uint64_t mixed(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * 0x9E3779B97F4A7C15ull;
}

static uint32_t take_native(struct ledger *ledger, const void *frame)
{
    const uintptr_t *at = frame;
    const struct stack_start start = {
        .pc = at[1], .sp = (uintptr_t)frame + 2 * sizeof(*at), .bp = at[0]};
    struct stack_bounds bounds = {.low = start.sp};
    struct native_frame frames[DEPTH];
    bool complete = true;
    unsigned count;
    uint64_t hash;
    uint32_t id;

    (void)stack_bounds_of_thread(&bounds);
    count = stack_native_walk(&start, &bounds, frames, DEPTH, &complete);
    if (!complete)
        ledger_lose(ledger, LOST_stack_unknown, 1);
    hash = count;
    for (unsigned i = 0; i < count; i++)
        hash = mixed(hash, frames[i].offset ^ (uint64_t)frames[i].unit << 44);
    hash ^= hash >> 29;
    id = cached(hash);
    if (id)
        return id;
    id = intern_all(ledger, FRAME_NATIVE, frames, count);
    cache(hash, id);
    return id;
}

/* Frames by address become frames by unit only when the whole stack is new. A stack with a frame that
 * could not be named is not remembered: the next time it may be. */
static uint32_t take_python(struct ledger *ledger, const struct python_frame *frames,
                            unsigned count)
{
    struct native_frame named[DEPTH];
    uint64_t hash = ~(uint64_t)count;
    bool all = true;
    uint32_t id;

    for (unsigned i = 0; i < count; i++)
        hash = mixed(hash, frames[i].code ^ frames[i].mark ^ frames[i].offset << 40);
    hash ^= hash >> 29;
    id = cached(hash);
    if (id)
        return id;
    for (unsigned i = 0; i < count; i++) {
        named[i].unit = stack_python_unit(ledger, &frames[i]);
        named[i].offset = frames[i].offset;
        all = all && named[i].unit != 0;
    }
    id = intern_all(ledger, FRAME_PYTHON, named, count);
    if (all)
        cache(hash, id);
    return id;
}

/* Apart, so that its frames are off the thread's stack when a native walk follows. */
__attribute__((noinline)) static bool try_python(struct ledger *ledger, uint32_t *id)
{
    struct python_frame frames[DEPTH];
    const unsigned count = stack_python_walk(ledger, frames, DEPTH);

    if (count)
        *id = take_python(ledger, frames, count);
    return count > 0;
}

/* Where Python is running, its frames are the stack: they say all that a reader wants to know, and
 * cost a tenth of a native walk. */
uint32_t stack_take(struct ledger *ledger, const void *frame)
{
    uint32_t id;

    return try_python(ledger, &id) ? id : take_native(ledger, frame);
}
