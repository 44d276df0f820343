/* stack.c - see stack.h.
 *
 * A stack is a path in a tree of frames, so that deep stacks share their outer part. A private
 * cache from the hash of a whole stack to its id makes the warm case one lookup.
 */
#include "probe/record/stack.h"

#include <errno.h>
#include <string.h>

#include "ledger/table.h"
#include "probe/core/known.h"
#include "probe/core/own.h"
#include "probe/core/spare_stack.h"
#include "probe/core/stack_bounds.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/js/js_owner.h"
#include "probe/js/script_unit.h"
#include "probe/js/stack_await.h"
#include "probe/js/stack_js.h"
#include "probe/python/python_code.h"
#include "probe/python/stack_python.h"
#include "probe/record/handoff.h"
#include "probe/record/native_part.h"
#include "probe/record/stack_fold.h"
#include "probe/unwind/stack_native.h"

#define DEPTH 160 /* of a deeper Python stack the middle is left out */
#define ENGINE_DEPTH 10
#define AWAIT_DEPTH 8
#define CACHE_SLOTS 4096
#define IMPORTS (1ull << 40) /* beside the id of a stack */
#define AWAITED (1ull << 41) /* the same: the key does not show which function awaits it */

#define ROOMS 4

/* Room to walk in. On a thread's own stack it would make one page more of each stack resident, and small
 * stacks have none to spare. */
struct room {
    uint8_t taken; /* atomic */
    struct native_frame frames[DEPTH];
};

static struct known *known; /* ids by the hash of the stack; private pages; NULL: no cache */
static const struct stack_calls *calls;
static struct room *rooms;  /* the same: all free in a child; NULL: none */

void stack_setup(const struct stack_calls *upper)
{
    calls = upper;
    known = own_map(CACHE_SLOTS * sizeof(*known)); /* empty in a child: its ids start at 1 */
    rooms = own_map(ROOMS * sizeof(*rooms));
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

static struct known *slot_of(uint64_t hash)
{
    return known ? &known[hash % CACHE_SLOTS] : NULL;
}

/* The id of a known stack, and IMPORTS if modules are being loaded in it; 0: it is not known. */
static uint64_t known_as(uint64_t hash)
{
    return known_get(slot_of(hash), hash);
}

static uint32_t cached(uint64_t hash)
{
    return (uint32_t)known_as(hash);
}

static void cache(uint64_t hash, uint64_t id)
{
    known_put(slot_of(hash), hash, id);
}

static uint64_t mixed(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * 0x9E3779B97F4A7C15ull;
}

/* A thread that was once seen at a framework's work stays its thread. */
static bool is_launched(struct ledger *ledger, const struct native_frame *frames, unsigned count,
                        uint32_t *id)
{
    *id = handoff_stack();
    if (!*id || !thread_self || !handoff_is_worker(ledger, frames, count))
        return false;
    thread_self->launched = 1;
    return true;
}

/* The frames before the first that belongs to no module. Code made at run time gets a new
 * address each time, and would fill the table. */
static unsigned before_unknown(const struct native_frame *frames, unsigned count)
{
    unsigned there = count > 0;

    while (there < count && frames[there].unit)
        there++;
    return there;
}

/* The id of native frames. */
static uint32_t known_native(struct ledger *ledger, const struct native_frame *frames, unsigned count)
{
    uint64_t hash = count;
    uint32_t id;

    for (unsigned i = 0; i < count; i++)
        hash = mixed(hash, frames[i].offset ^ (uint64_t)frames[i].unit << 44);
    hash = table_hash(hash); /* what only the upper bits distinguish counts below, too */
    id = cached(hash);
    if (id)
        return id;
    id = intern_all(ledger, FRAME_NATIVE, frames, count);
    cache(hash, id);
    return id;
}

static uint32_t walk_native(struct ledger *ledger, const void *frame, struct native_frame *frames)
{
    const uintptr_t *at = frame;
    const struct stack_start start = {
        .pc = at[1], .sp = (uintptr_t)frame + 2 * sizeof(*at), .bp = at[0]};
    struct stack_bounds bounds = {.low = start.sp};
    /* Where V8 allocates for itself, the outer frames are code made at run time: it has no names
     * and a new address each time. */
    const unsigned depth = stack_js_is_here() ? ENGINE_DEPTH : DEPTH;
    bool complete = true;
    unsigned count;
    uint32_t id;

    (void)stack_bounds_of_thread(&bounds);
    count = stack_native_walk(&start, &bounds, frames, depth, &complete);
    if (is_launched(ledger, frames, count, &id))
        return id;
    if (depth == ENGINE_DEPTH)
        count = before_unknown(frames, count);
    else if (!complete)
        ledger_lose(ledger, LOST_stack_unknown, 1);
    return known_native(ledger, frames, count);
}

static __attribute__((noinline)) uint32_t walk_on_stack(struct ledger *ledger, const void *frame)
{
    struct native_frame frames[DEPTH];

    return walk_native(ledger, frame, frames);
}

static uint32_t take_native(struct ledger *ledger, const void *frame)
{
    for (struct room *room = rooms; room && room < rooms + ROOMS; room++) {
        uint32_t id;

        if (__atomic_test_and_set(&room->taken, __ATOMIC_ACQUIRE))
            continue;
        id = walk_native(ledger, frame, room->frames);
        __atomic_clear(&room->taken, __ATOMIC_RELEASE);
        return id;
    }
    return walk_on_stack(ledger, frame);
}

/* The id, and IMPORTS. Frames by address become frames by unit only when the whole stack is new. A stack with
 * a frame that could not be named is not remembered: the next time it may be. */
static uint64_t take_python(struct ledger *ledger, const struct python_frame *frames,
                            unsigned count)
{
    struct native_frame named[DEPTH];
    uint64_t hash = ~(uint64_t)count;
    bool all = true;
    uint64_t imports = 0, seen;
    uint32_t id;

    for (unsigned i = 0; i < count; i++)
        hash = mixed(hash, frames[i].code ^ frames[i].mark ^ frames[i].offset << 40);
    hash = table_hash(hash); /* what only the upper bits distinguish counts below, too */
    seen = known_as(hash);
    if (seen & IMPORTS)
        state_loads();
    if (seen || count == 0)
        return seen;
    for (unsigned i = 0; i < count; i++) {
        named[i].unit = stack_python_unit(ledger, &frames[i]);
        named[i].offset = frames[i].offset;
        all = all && named[i].unit != 0;
        imports |= python_code_imports(named[i].unit) ? IMPORTS : 0;
    }
    if (imports)
        state_loads();
    id = intern_all(ledger, FRAME_PYTHON, named, stack_fold(ledger, named, count));
    if (all && id)
        cache(hash, id | imports);
    return id | imports;
}

/* Apart, so that its frames are off the thread's stack when a native walk follows. */
__attribute__((noinline)) static bool try_python(struct ledger *ledger, uint32_t *id, bool *imports)
{
    struct python_frame frames[DEPTH];
    const unsigned count = stack_python_walk(ledger, frames, DEPTH);

    if (count) {
        const uint64_t taken = take_python(ledger, frames, count);

        *id = (uint32_t)taken;
        *imports = (taken & IMPORTS) != 0;
        calls->python(frames, count, DEPTH);
    }
    return count > 0;
}

/* The stack where this thread's program last started work that continues after a wait. */
static __thread struct {
    const struct ledger_header *ledger; /* whose id it is */
    uint32_t id;
} launched;

#define CHECK_EVERY 256 /* one in this many known JavaScript stacks is read again */

static bool js_distrusted; /* atomic: two stacks had one key */

static uint64_t known_js(uint64_t key)
{
    return __atomic_load_n(&js_distrusted, __ATOMIC_RELAXED) ? 0 : known_as(key);
}

static bool is_due(void)
{
    static __thread unsigned hits;

    return ++hits % CHECK_EVERY == 0;
}

/* Without a user frame, after a wait: the functions that await it are below. */
static uint64_t intern_js(struct ledger *ledger, struct native_frame *frames, unsigned count,
                          unsigned whose)
{
    const bool alone = count > 0 && !(whose & JS_USER);
    unsigned waits = 0;

    if (alone && count < DEPTH && stack_await_may_ask())
        waits = stack_await_walk(ledger, frames + count,
                                 DEPTH - count < AWAIT_DEPTH ? DEPTH - count : AWAIT_DEPTH, &whose);
    count += waits;
    return (count ? intern_all(ledger, FRAME_JS, frames, count) : 0) | (alone ? AWAITED : 0);
}

/* The engine is asked only for a stack that is new to us, and, for as long as that takes little, for one
 * that ends at a wait. A framework's work without a frame of the user's belongs to the line that
 * launched it. */
__attribute__((noinline)) static bool try_js(struct ledger *ledger, const void *frame, uint32_t *id)
{
    struct native_frame frames[DEPTH];
    const bool waiting = launched.id && launched.ledger == ledger->head;
    uint64_t key = stack_js_key(frame), before, now;
    unsigned count, whose;

    if (!key)
        return false;
    if (waiting)
        key = mixed(key, launched.id);
    before = known_js(key);
    *id = (uint32_t)before;
    if (*id && (before & AWAITED ? !stack_await_may_ask() : !is_due()))
        return true;
    count = stack_js_walk(ledger, frames, DEPTH, &whose);
    now = waiting && whose == JS_FRAMEWORK ? launched.id : intern_js(ledger, frames, count, whose);
    if (before && before != now && !(before & now & AWAITED))
        __atomic_store_n(&js_distrusted, true, __ATOMIC_RELAXED);
    *id = (uint32_t)now;
    cache(key, now);
    return *id != 0;
}

uint32_t stack_take_js(struct ledger *ledger)
{
    uint32_t id = 0;

    (void)try_js(ledger, NULL, &id);
    return id;
}

void stack_launch(struct ledger *ledger)
{
    launched.id = 0;
    launched.id = stack_take_js(ledger);
    launched.ledger = ledger->head;
}

uint32_t stack_of_functions(struct ledger *ledger, const struct native_frame *frames, unsigned count)
{
    return intern_all(ledger, FRAME_JS, frames, count);
}

uint32_t stack_take_python(struct ledger *ledger)
{
    struct python_frame frames[DEPTH];
    const unsigned count = stack_python_walk(ledger, frames, DEPTH);

    return count ? (uint32_t)take_python(ledger, frames, count) : 0;
}

/* The stack that made the graph node that this thread is running, marked as such. */
static uint32_t take_forward(struct ledger *ledger)
{
    const uint32_t stack = calls->forward();

    return stack ? intern(ledger, (uint64_t)stack << 32 | FRAME_BACKWARD, 0) : 0;
}

/* The native part below the language's frames. Left out when a quarter of the table is in use: a whole stack
 * says more. */
__attribute__((noinline)) static uint32_t take_part(struct ledger *ledger, const void *frame)
{
    const struct section_entry *entry = ledger_entry(ledger, SECTION_stacks);
    struct native_frame frames[NATIVE_PART_DEPTH];
    unsigned count;

    if (4 * __atomic_load_n(&entry->used, __ATOMIC_RELAXED) > entry->capacity)
        return 0;
    count = native_part_walk(frame, frames, NATIVE_PART_DEPTH);
    return count ? known_native(ledger, frames, count) : 0;
}

struct taking {
    struct ledger *ledger;
    const void *frame;
    uint32_t *native; /* NULL: not wanted */
    uint32_t id;
};

/* Where Python or JavaScript is running, its frames are the stack: they say all that a reader wants
 * to know; Python's cost a tenth of a native walk. Where it is not, the room for its frames would make
 * a page more of every thread's stack resident. */
static uint32_t take_here(const struct taking *taking)
{
    struct ledger *ledger = taking->ledger;
    uint32_t id = take_forward(ledger);
    bool imports = false;

    /* While a framework is imported much code runs, whose tables would become resident for nothing. */
    if (!id && ((stack_python_is_here() && try_python(ledger, &id, &imports)) ||
                (stack_js_is_here() && try_js(ledger, taking->frame, &id)))) {
        if (taking->native && !imports)
            *taking->native = take_part(ledger, taking->frame);
        return id;
    }
    if (!id && thread_self && thread_self->launched)
        id = handoff_stack();
    return id ? id : take_native(ledger, taking->frame);
}

static void take_it(void *context)
{
    struct taking *taking = context;

    taking->id = take_here(taking);
}

uint32_t stack_take(struct ledger *ledger, const void *frame, uint32_t *native)
{
    struct taking taking = {.ledger = ledger, .frame = frame, .native = native};

    if (native)
        *native = 0;
    if (!spare_stack_call(take_it, &taking))
        ledger_lose(ledger, LOST_stack_small, 1);
    return taking.id;
}

void stack_hand_off(const void *frame)
{
    const int saved = errno;
    struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();

    if (!thread || thread->busy || thread->alive != THREAD_ALIVE || !ledger)
        return;
    thread->busy = 1;
    handoff_publish(stack_take(ledger, frame, NULL));
    thread->busy = 0;
    errno = saved;
}
