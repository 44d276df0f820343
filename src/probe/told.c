/* told.c - see told.h. */
#include "probe/told.h"

#include <errno.h>
#include <string.h>

#include "ledger/site_kind.h"
#include "probe/adapter.h"
#include "probe/collect_js.h"
#include "probe/export.h"
#include "probe/heap_size.h"
#include "probe/life.h"
#include "probe/live.h"
#include "probe/midway.h"
#include "probe/requests.h"
#include "probe/site.h"
#include "probe/stack.h"
#include "probe/stack_js.h"
#include "probe/step.h"

#define OBJECTS_TOLD 16 /* functions whose objects are told */
#define TOLD_CLASS 0 /* objects of a heap are told by function, not by size */
#define LIVE_TOLD (1ull << 63) /* no block lies there */

static __thread struct {
    void (*call)(void *);
    void *data;
} after_collection;
static __thread struct {
    bool (*take)(void *, const char *, uint64_t, uint32_t *);
    void *data;
} heap_writer;
static struct thread *charged; /* atomic: the one whose heap the gauges tell of; NULL: not said */
static uint64_t gauges[LEDGER_GAUGES];          /* atomic */
static const double *gauges_at[LEDGER_GAUGES]; /* atomic; NULL: as in `gauges` */

/* Marked busy; NULL: nothing may be done here now. */
static struct ledger *enter_ledger(struct thread **out)
{
    struct thread *thread;
    struct ledger *ledger;

    life_begin();
    thread = thread_self ? thread_self : thread_attach();
    if (!thread || thread->busy || thread->alive != THREAD_ALIVE)
        return NULL;
    thread->busy = 1;
    ledger = life_ledger();
    if (!ledger)
        thread->busy = 0;
    *out = thread;
    return ledger;
}

static uint32_t stack_now(void)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter_ledger(&thread);
    uint32_t stack = 0;

    if (ledger) {
        stack = stack_take_js(ledger);
        thread->busy = 0;
    }
    errno = saved;
    return stack;
}

/* `stack` 0: of the JavaScript that is running. */
static void born_at(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack)
{
    const int saved = errno;
    struct block_record record = {.size = bytes, .weight = weight}, old;
    struct thread *thread;
    struct ledger *ledger = site_is_told(kind) ? enter_ledger(&thread) : NULL;

    if (!ledger)
        return;
    record.birth = step_ordinal();
    record.site = site_find(ledger, stack ? stack : stack_take_js(ledger), ledger_class(bytes),
                            (enum site_kind)kind);
    if (live_insert(ledger, LIVE_TOLD | number, &record, false, &old))
        site_born(ledger, record.site, weight, record.birth);
    else
        ledger_lose(ledger, LOST_live_full, 1);
    if (old.weight > 0)
        site_died(ledger, old.site, &old, step_ordinal());
    step_slice();
    thread->busy = 0;
    if (requests_wait())
        adapter_visit(); /* called from JavaScript, whose engine may be asked now */
    errno = saved;
}

static void born(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight)
{
    born_at(kind, number, bytes, weight, 0);
}

/* Also in the last round, where the thread is busy. */
static bool died(uint64_t number)
{
    struct ledger *ledger = life_ledger_now();
    struct block_record record;

    if (!ledger || !live_remove(ledger, LIVE_TOLD | number, &record))
        return false;
    site_died(ledger, record.site, &record, step_ordinal());
    return true;
}

static void held(uint64_t number, uint32_t holder)
{
    struct ledger *ledger = life_ledger_now();
    struct block_record record, old;

    if (!ledger || !live_remove(ledger, LIVE_TOLD | number, &record))
        return;
    record.grown = holder;
    (void)live_insert(ledger, LIVE_TOLD | number, &record, false, &old); /* in its own place */
}

static void set_gauge(uint32_t gauge, uint64_t value)
{
    if (gauge < LEDGER_GAUGES)
        __atomic_store_n(&gauges[gauge], value, __ATOMIC_RELAXED);
}

static bool heap_sizes(uint64_t *used, uint64_t *external)
{
    uint64_t limit;

    if (!heap_size(used, external, &limit))
        return false;
    set_gauge(GAUGE_heap_limit, limit);
    return true;
}

static void set_gauge_at(uint32_t gauge, const double *where)
{
    if (gauge < LEDGER_GAUGES)
        __atomic_store_n(&gauges_at[gauge], where, __ATOMIC_RELEASE);
}

/* The adapter writes there at any time: a value of eight bytes is never torn. */
uint64_t told_gauge(unsigned gauge)
{
    const double *where = __atomic_load_n(&gauges_at[gauge], __ATOMIC_ACQUIRE);
    double value = 0;

    if (where) {
        __atomic_load(where, &value, __ATOMIC_RELAXED);
        return value > 0 && value < 1e18 ? (uint64_t)value : 0;
    }
    return __atomic_load_n(&gauges[gauge], __ATOMIC_RELAXED);
}

static void note(const char *text)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = text ? enter_ledger(&thread) : NULL;

    if (!ledger)
        return;
    ledger_note(ledger, step_ordinal(), text);
    thread->busy = 0;
    errno = saved;
}

static void launch(void)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter_ledger(&thread);

    if (!ledger)
        return;
    stack_launch(ledger);
    thread->busy = 0;
    errno = saved;
}

static void script(const char *file, const char *function, uint32_t line, uint64_t bytes)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter_ledger(&thread);

    if (!ledger)
        return;
    site_born(ledger,
              site_find(ledger, stack_of_function(ledger, file, function, line), ledger_class(bytes),
                        SITE_SCRIPT),
              bytes, step_ordinal());
    thread->busy = 0;
    errno = saved;
}

/* Also while the doctor is served, where the thread is busy. */
static uint32_t objects(uint32_t site, const struct tare_frame *frames, uint32_t count,
                        uint64_t bytes)
{
    static __thread struct {
        uint32_t site;
        uint64_t bytes;
    } told[OBJECTS_TOLD];
    const int saved = errno;
    struct ledger *ledger = life_ledger_now();
    struct thread *thread = thread_self;
    unsigned place = 0;
    uint32_t busy;

    if (!ledger || !thread)
        return 0;
    busy = thread->busy;
    thread->busy = 1;
    if (!site)
        site = site_find(ledger, stack_of_functions(ledger, frames, count), TOLD_CLASS, SITE_SCRIPT);
    while (place < OBJECTS_TOLD - 1 && told[place].site && told[place].site != site)
        place++;
    if (site && (!told[place].site || told[place].site == site)) {
        const struct block_record gone = {.weight = told[place].bytes, .birth = step_ordinal()};

        if (gone.weight > 0)
            site_died(ledger, site, &gone, gone.birth);
        site_born(ledger, site, bytes, step_ordinal());
        told[place].site = site;
        told[place].bytes = bytes;
    }
    thread->busy = busy;
    errno = saved;
    return site;
}

static bool quiet(bool on)
{
    struct thread *thread = thread_self;
    const bool before = thread && thread->busy;

    if (thread && thread->alive == THREAD_ALIVE)
        thread->busy = on;
    return before;
}

static void charge(bool mine)
{
    struct thread *self = thread_self ? thread_self : thread_attach();

    __atomic_store_n(&charged, mine ? self : NULL, __ATOMIC_RELEASE);
}

bool told_in_charge(void)
{
    const struct thread *now = __atomic_load_n(&charged, __ATOMIC_ACQUIRE);

    return !now || now == thread_self;
}

static void on_snapshot(bool (*take)(void *, const char *, uint64_t, uint32_t *), void *data)
{
    heap_writer.take = take;
    heap_writer.data = data;
}

bool told_snapshot(const char *path, uint64_t most, uint32_t *since)
{
    return heap_writer.take && told_in_charge() && stack_js_may_ask() && !midway_is_now() &&
           heap_writer.take(heap_writer.data, path, most, since);
}

static void on_collected(void (*call)(void *), void *data)
{
    after_collection.call = call;
    after_collection.data = data;
}

bool told_collect(void)
{
    if (!stack_js_collect())
        return false;
    if (after_collection.call)
        after_collection.call(after_collection.data);
    return true;
}

void told_reset(void)
{
    memset(gauges, 0, sizeof(gauges));
    memset(gauges_at, 0, sizeof(gauges_at));
    charged = NULL;
}

EXPORT extern const struct tare_adapter_more tare_adapter_v2;
const struct tare_adapter_more tare_adapter_v2 = {.enter = stack_js_enter,
                                                  .leave = stack_js_leave,
                                                  .born = born,
                                                  .died = died,
                                                  .gauge = set_gauge,
                                                  .gauge_at = set_gauge_at,
                                                  .note = note,
                                                  .launch = launch,
                                                  .objects = script,
                                                  .collections = stack_js_collections,
                                                  .heap = heap_sizes,
                                                  .on_collected = on_collected};

EXPORT extern const struct tare_adapter_heap tare_adapter_v3;
const struct tare_adapter_heap tare_adapter_v3 = {
    .objects = objects, .quiet = quiet, .on_snapshot = on_snapshot, .thorough = stack_js_thorough,
    .kept = stack_js_kept};

EXPORT extern const struct tare_adapter_try tare_adapter_v4;
const struct tare_adapter_try tare_adapter_v4 = {.collect = told_collect, .exposed = collect_js_exposed};

EXPORT extern const struct tare_workers tare_workers_v1;
const struct tare_workers tare_workers_v1 = {.charge = charge};

EXPORT extern const struct tare_adapter_late tare_adapter_v5;
const struct tare_adapter_late tare_adapter_v5 = {.stack = stack_now, .born = born_at, .held = held};
