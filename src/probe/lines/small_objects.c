/* small_objects.c - see small_objects.h.
 *
 * Both domains of small objects have the same allocator, which ignores its context: so does the
 * wrapper, and a thread of another interpreter that sees half of an exchange is served rightly. Every
 * wrapper passes on first and notes then, or notes a release before it passes it on, as the hooks of
 * malloc do. Nothing here calls the interpreter but small_objects_watch, small_objects_tick and
 * small_objects_end.
 */
#include "probe/lines/small_objects.h"

#include <errno.h>

#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/sample_pure.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/lines/small_objects_pure.h"
#include "probe/python/interpreter.h"
#include "probe/python/stack_python.h"
#include "probe/record/costs.h"
#include "probe/record/live.h"
#include "probe/record/site.h"
#include "probe/record/stack.h"
#include "probe/record/step.h"

#define TEST_DEPTH 32
#define SMALL_MOST 512 /* bytes: larger objects come from malloc, whose hooks see them */
#define CELLS (1u << 20)
#define CELL_FULL 255
#define BURST 256u           /* samples after which their speed is measured */
#define SECOND 1000000000ull
#define SAMPLES_MANY 100000u /* per second: 2.5% of one core, about 250 ns each with release */
#define SAMPLES_BUSY 20000u  /* per second where the wrapper itself costs several percent: 0.5% */
#define BUSY_BYTES (256ull << 20) /* from here on it does: five million objects a second */
#define SITES_MOST 32768u /* half of the table: the rest is for blocks of malloc */
#define LIVE_MANY 32768u /* sampled objects alive: an eighth of the table */
#define LATE_MANY 16384u /* late releases: a quarter of the ring */
#define WINDOW_NS 1500000000u /* a window is at least this long: the doctor looks four times a second */
#define TIMED 64u /* one in this many samples and releases is timed */
#define LONGEST_NS 100000u /* a longer time includes more than the sample */
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static struct python_allocator original; /* of both domains */
static bool installed;      /* ours is in place, perhaps under another; with the lock */
static uint32_t tracking;   /* atomic: samples are taken */
static uint32_t asked;      /* a sample was due: the wrapper is called */
static bool refused;        /* the ledger says so */
static uint64_t rate;       /* atomic: mean bytes between samples */
static uint8_t *cells;      /* atomic: as in filter.h, but for objects; wiped by a fork */
static uint32_t burst;      /* atomic: samples since the last look */
static uint32_t timed;      /* atomic: samples and their releases, one in TIMED of which is timed */
static uint64_t clock_cost; /* nanoseconds that it takes to read the clock, which are not theirs */
static uint64_t burst_start;
static uint32_t live, late; /* atomic: sampled objects alive; releases at age 4 and more */
static uint32_t live_limit, late_limit;
static uint64_t last_step, last_time; /* the window ends when both have passed */
static uint64_t since;                /* ordinal of its first interval */

/* ---- which of them are samples ---- */

static uint8_t *cell_of(const void *block)
{
    return &cells[(uintptr_t)block >> 4 & (CELLS - 1)];
}

static bool may_be_sample(const void *block)
{
    return __atomic_load_n(cell_of(block), __ATOMIC_RELAXED) != 0;
}

static void change_cell(const void *block, int by)
{
    uint8_t *cell = cell_of(block), value = __atomic_load_n(cell, __ATOMIC_RELAXED);

    do
        if (value == CELL_FULL || (by < 0 && value == 0))
            return;
    while (!__atomic_compare_exchange_n(cell, &value, (uint8_t)(value + by), true,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* ---- how many ---- */

/* Samples that may be taken in a second, when this many took `elapsed` nanoseconds. */
static uint64_t allowed(uint64_t elapsed)
{
    const uint64_t bytes = BURST * __atomic_load_n(&rate, __ATOMIC_RELAXED);

    return bytes * (SECOND / 1024) / elapsed > BUSY_BYTES / 1024 ? SAMPLES_BUSY : SAMPLES_MANY;
}

static bool has_passed(uint32_t *limit, const uint32_t *count)
{
    if (__atomic_load_n(count, __ATOMIC_RELAXED) <= *limit)
        return false;
    *limit += *limit / 4;
    return true;
}

/* Any thread; a lost update only delays the next decision. */
static void keep_pace(void)
{
    uint64_t now, elapsed, least;

    if (__atomic_add_fetch(&burst, 1, __ATOMIC_RELAXED) < BURST)
        return;
    now = raw_now();
    elapsed = now > burst_start ? now - burst_start : 1;
    least = BURST * SECOND / allowed(elapsed);
    if (elapsed < least || has_passed(&live_limit, &live) || has_passed(&late_limit, &late))
        __atomic_store_n(&rate, small_objects_coarser(rate), __ATOMIC_RELAXED);
    else if (elapsed > 5 * least && live < LIVE_MANY / 2 && late < LATE_MANY / 2)
        __atomic_store_n(&rate, small_objects_finer(rate), __ATOMIC_RELAXED);
    __atomic_store_n(&burst, 0, __ATOMIC_RELAXED);
    burst_start = now;
}

/* ---- births and deaths ---- */

/* The allocator hands out multiples of 16. */
static size_t room_for(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

/* One sample, or release of one, in TIMED stands for the others. 0: this one is not timed. */
static uint64_t time_one(void)
{
    return __atomic_add_fetch(&timed, 1, __ATOMIC_RELAXED) % TIMED == 0 ? raw_worked() : 0;
}

static void count_cost(struct ledger *ledger, uint64_t begun)
{
    const uint64_t took = begun ? raw_worked() - begun : 0;
    const uint64_t most = took < LONGEST_NS ? took : LONGEST_NS;

    if (most > clock_cost)
        costs_add(ledger, COST_objects, &(struct cost_record){.program_ns = TIMED * (most - clock_cost)});
}

static void close_unseen(struct ledger *ledger, const struct block_record *old)
{
    if (old->weight == 0)
        return;
    site_died(ledger, old->site, old, state_ordinal());
    ledger_lose(ledger, LOST_free_unseen, 1);
}

static bool insert(struct ledger *ledger, void *block, const struct block_record *record)
{
    const bool maybe = may_be_sample(block);
    struct block_record old;
    bool fits;

    change_cell(block, 1);
    fits = live_insert(ledger, (uint64_t)(uintptr_t)block, record, maybe, &old);
    if (fits) {
        (void)__atomic_add_fetch(&live, 1, __ATOMIC_RELAXED);
    } else {
        change_cell(block, -1);
        ledger_lose(ledger, LOST_live_full, 1);
    }
    close_unseen(ledger, &old);
    return fits;
}

static void take(struct ledger *ledger, void *block, size_t size, uint64_t weight,
                 const void *frame)
{
    uint32_t native;
    const uint32_t stack = stack_take(ledger, frame, &native);
    const struct block_record record = {.size = size,
                                        .weight = weight,
                                        .birth = state_ordinal(),
                                        .site = site_find(ledger, stack, ledger_class(size), SITE_OBJECT),
                                        .native = native};

    if (insert(ledger, block, &record))
        site_born(ledger, record.site, record.weight, record.birth);
}

/* The countdown has ended on this object. */
static __attribute__((noinline, cold)) void sampled(struct thread *thread, void *block, size_t size,
                                                    const void *frame)
{
    const int saved = errno;
    const uint64_t drawn = thread->object_rate;
    struct ledger *ledger;
    uint64_t begun;

    asked = 1;
    if (!block || thread->alive != THREAD_ALIVE)
        return; /* a copy in a new process: it finds out at its next allocation from malloc */
    thread->object_rate = __atomic_load_n(&rate, __ATOMIC_RELAXED);
    thread->object_countdown = sample_interval(&thread->random, thread->object_rate);
    if (drawn == 0 || thread->busy)
        return;
    thread->busy = 1;
    ledger = state_ledger_now();
    if (ledger && site_count() > SITES_MOST) {
        ledger_lose(ledger, LOST_sites_full, 1);
    } else if (ledger) {
        begun = time_one();
        take(ledger, block, room_for(size),
             sample_weight(room_for(size), room_for(size) / SAMPLE_UNIT, drawn), frame);
        count_cost(ledger, begun);
        keep_pace();
        step_slice();
    }
    thread->busy = 0;
    errno = saved;
}

/* Does the countdown end on an object of this size? Asked before it is made, so that nearly all go
 * straight to the interpreter's own function. */
static inline bool is_due(size_t size)
{
    struct thread *thread = thread_self;

    if (UNLIKELY(size - 1 >= SMALL_MOST || !thread ||
                 !__atomic_load_n(&tracking, __ATOMIC_RELAXED)))
        return false;
    thread->object_countdown -= (int64_t)(room_for(size) / SAMPLE_UNIT);
    return thread->object_countdown <= 0;
}

static bool lift(struct ledger *ledger, void *block, struct block_record *record)
{
    if (!live_remove(ledger, (uint64_t)(uintptr_t)block, record))
        return false;
    change_cell(block, -1);
    (void)__atomic_sub_fetch(&live, 1, __ATOMIC_RELAXED);
    return true;
}

static void died(struct ledger *ledger, const struct block_record *record)
{
    const uint64_t now = state_ordinal();

    if (now >= record->birth + 4)
        (void)__atomic_add_fetch(&late, 1, __ATOMIC_RELAXED);
    site_died(ledger, record->site, record, now);
}

static __attribute__((noinline, cold)) void released(void *block)
{
    const struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();
    struct block_record record;
    const int saved = errno;
    uint64_t begun;

    if (ledger && (!thread || thread->alive == THREAD_ALIVE)) {
        begun = time_one();
        if (lift(ledger, block, &record))
            died(ledger, &record);
        count_cost(ledger, begun);
    }
    errno = saved;
}

/* ---- the wrapper ---- */

#define FRAME __builtin_frame_address(0)

static bool is_tracking(void)
{
    return __atomic_load_n(&tracking, __ATOMIC_RELAXED) != 0;
}

static __attribute__((noinline, cold)) void *sample_malloc(void *ctx, size_t size)
{
    void *block = original.malloc(ctx, size);

    sampled(thread_self, block, size, FRAME);
    return block;
}

static void *object_malloc(void *ctx, size_t size)
{
    return UNLIKELY(is_due(size)) ? sample_malloc(ctx, size) : original.malloc(ctx, size);
}

static void *object_calloc(void *ctx, size_t count, size_t size)
{
    void *block = original.calloc(ctx, count, size);
    size_t total;

    if (!__builtin_mul_overflow(count, size, &total) && UNLIKELY(is_due(total)))
        sampled(thread_self, block, total, FRAME);
    return block;
}

/* What was a sample stays one, with its birth, while it is small. */
static void resized(void *block, size_t size, struct block_record *record)
{
    struct ledger *ledger = state_ledger_now();
    const size_t room = room_for(size);
    uint32_t site = record->site;
    uint64_t weight;

    if (!ledger)
        return;
    if (size - 1 >= SMALL_MOST) {
        died(ledger, record);
        return;
    }
    weight = record->size ? (uint64_t)((double)record->weight / (double)record->size * (double)room)
                          : room;
    if (site && ledger_class(room) != ledger_class(record->size))
        site = site_find(ledger, site_stack(ledger, site), ledger_class(room), SITE_OBJECT);
    site_moved(ledger, record, site, weight);
    record->grown = ledger_grown(record->grown + (room != record->size ? 1u : 0u));
    record->site = site;
    record->size = room;
    record->weight = weight;
    if (!insert(ledger, block, record))
        site_died(ledger, record->site, record, state_ordinal());
}

static void *object_realloc(void *ctx, void *block, size_t size)
{
    const struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();
    struct block_record record;
    const bool lifted = block && is_tracking() && ledger && thread &&
                        thread->alive == THREAD_ALIVE && may_be_sample(block) &&
                        lift(ledger, block, &record);
    void *fresh = original.realloc(ctx, block, size);

    if (lifted)
        resized(fresh ? fresh : block, fresh ? size : record.size, &record);
    else if (fresh != block && UNLIKELY(is_due(size)))
        sampled(thread_self, fresh, size, FRAME);
    return fresh;
}

static void object_free(void *ctx, void *block)
{
    if (is_tracking() && UNLIKELY(may_be_sample(block)))
        released(block);
    original.free(ctx, block);
}

static struct python_allocator wrapper = {.malloc = object_malloc,
                                          .calloc = object_calloc,
                                          .realloc = object_realloc,
                                          .free = object_free};

/* ---- putting it in place ---- */

static bool on_top(void)
{
    struct python_allocator mem, obj;

    return interpreter_get_allocator(PYTHON_MEM, &mem) &&
           interpreter_get_allocator(PYTHON_OBJ, &obj) && mem.malloc == object_malloc &&
           obj.malloc == object_malloc;
}

/* The interpreter's own allocator of small objects, bare: the same in both domains, without a
 * context, and not the one for raw memory, which malloc or a debugging layer would be. */
static bool is_bare(struct python_allocator *out)
{
    struct python_allocator raw, mem;

    return interpreter_get_allocator(PYTHON_RAW, &raw) &&
           interpreter_get_allocator(PYTHON_MEM, &mem) &&
           interpreter_get_allocator(PYTHON_OBJ, out) && !mem.ctx && !out->ctx &&
           mem.malloc == out->malloc && mem.free == out->free && out->malloc != raw.malloc;
}

/* Entries of an earlier window say nothing any more. Both tables have the same slots. */
static void forget_all(struct ledger *ledger)
{
    uint64_t *keys = ledger_records(ledger, SECTION_live);
    const struct block_record *blocks = ledger_records(ledger, SECTION_blocks);
    const struct site_record *sites = ledger_records(ledger, SECTION_sites);
    const uint64_t used = __atomic_load_n(&ledger_entry(ledger, SECTION_live)->used,
                                          __ATOMIC_ACQUIRE);

    for (uint64_t i = 0; i < used; i++) {
        const uint64_t address = __atomic_load_n(&keys[i], __ATOMIC_ACQUIRE);
        struct block_record record;

        if (address <= 1 || !blocks[i].site ||
            (sites[blocks[i].site - 1].key & 0xff) != SITE_OBJECT)
            continue;
        if (live_remove(ledger, address, &record))
            site_moved(ledger, &record, 0, 0);
    }
    __atomic_store_n(&live, 0, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < CELLS; i++)
        if (cells[i])
            cells[i] = 0;
}

static bool install(void)
{
    if (installed)
        return on_top();
    if (!is_bare(&original))
        return false;
    installed = true;
    interpreter_set_allocator(PYTHON_MEM, &wrapper);
    interpreter_set_allocator(PYTHON_OBJ, &wrapper);
    return true;
}

static void remove_wrapper(void)
{
    if (!installed || !on_top())
        return; /* other code has wrapped it: it passes calls on, and costs little */
    interpreter_set_allocator(PYTHON_MEM, &original);
    interpreter_set_allocator(PYTHON_OBJ, &original);
    installed = false;
}

static void stop(void)
{
    __atomic_store_n(&tracking, 0, __ATOMIC_RELEASE);
    since = 0;
    remove_wrapper();
}

static void say_refused(struct ledger *ledger)
{
    if (refused)
        return;
    refused = true;
    ledger_note(ledger, state_ordinal(),
                "Python's small objects are counted, but not followed to their lines: another "
                "allocator than its usual one is in place.");
}

/* The caller is a function of Python: where no stack was walked before, this one is the test. */
static bool can_see_lines(struct ledger *ledger)
{
    struct python_frame frames[TEST_DEPTH];

    return stack_python_trusted() ||
           (stack_python_walk(ledger, frames, TEST_DEPTH) > 0 && stack_python_trusted());
}

static bool begin(struct ledger *ledger)
{
    if (!cells)
        cells = own_map(CELLS);
    if (!cells || !interpreter_usable() || !can_see_lines(ledger))
        return false;
    if (!install()) {
        say_refused(ledger);
        return false;
    }
    forget_all(ledger);
    rate = SMALL_OBJECTS_RATE_ALL;
    late = burst = 0;
    live_limit = LIVE_MANY;
    late_limit = LATE_MANY;
    burst_start = raw_now();
    since = state_ordinal();
    __atomic_store_n(&tracking, 1, __ATOMIC_RELEASE);
    return true;
}

static bool start(struct ledger *ledger)
{
    const struct costs_meter meter = costs_begin(0);
    const bool begun = begin(ledger);
    const uint64_t now = raw_worked();

    clock_cost = raw_worked() - now;
    costs_end(ledger, COST_objects, &meter, 0, begun);
    return begun;
}

bool small_objects_watch(struct ledger *ledger, uint64_t steps)
{
    if (steps == 0) {
        stop();
        return false;
    }
    if (!tracking && !start(ledger))
        return false;
    if (state_ordinal() + steps > last_step)
        last_step = state_ordinal() + steps;
    last_time = raw_now() + WINDOW_NS;
    return true;
}

/* Whoever has put another allocator in place may call ours behind it, or not: then releases were
 * missed, and what the window has seen is worth nothing. */
static bool still_asked(void)
{
    if (on_top())
        return true;
    asked = 0;
    thread_self->object_countdown = 0; /* its next object is a sample */
    interpreter_try_block();
    return asked != 0;
}

void small_objects_tick(struct ledger *ledger)
{
    if (!installed || !interpreter_usable())
        return;
    if (!tracking) {
        remove_wrapper();
    } else if (!still_asked()) {
        __atomic_store_n(&tracking, 0, __ATOMIC_RELEASE);
        installed = false;
        since = 0;
        forget_all(ledger);
        ledger_note(ledger, state_ordinal(),
                    "The program has replaced Python's allocator of small objects while tare "
                    "followed them: their lines are not known.");
    } else if (state_ordinal() >= last_step && raw_now() >= last_time) {
        stop();
    }
}

bool small_objects_watched(void)
{
    return tracking && since <= state_ordinal();
}

void small_objects_end(void)
{
    if (installed && interpreter_usable())
        stop();
}

void small_objects_forked(void)
{
    tracking = 0;
    since = last_step = last_time = 0;
    live = late = 0;
    refused = false;
}
