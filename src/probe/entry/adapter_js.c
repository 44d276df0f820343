/* adapter_js.c - the calls for the JavaScript adapter: its reports and its answers. See
 * adapter_abi.h. */
#include "probe/entry/adapter_js.h"

#include <errno.h>
#include <string.h>

#include "ledger/site_kind.h"
#include "probe/core/export.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/entry/adapter.h"
#include "probe/entry/adapter_abi.h"
#include "probe/entry/life.h"
#include "probe/js/script_text.h"
#include "probe/js/stack_js.h"
#include "probe/js/v8.h"
#include "probe/lines/gauges.h"
#include "probe/record/live.h"
#include "probe/record/site.h"
#include "probe/record/stack.h"
#include "probe/record/step.h"
#include "probe/serve/asking.h"
#include "probe/serve/requests.h"

#define OBJECTS_FUNCTIONS 16 /* functions whose objects are reported */
#define SCRIPT_CLASS 0       /* objects of a heap are reported by function, not by size */
#define LIVE_REPORTED (1ull << 63) /* no block lies there */
#define REPORTED_DEPTH 16
#define WORKERS_MOST 64 /* ends of workers that are recorded; a pool may make thousands */

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
    ledger = state_ledger();
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
    record.birth = state_ordinal();
    record.site = site_find(ledger, stack ? stack : stack_take_js(ledger), ledger_class(bytes),
                            (enum site_kind)kind);
    if (live_insert(ledger, LIVE_REPORTED | number, &record, false, &old))
        site_born(ledger, record.site, weight, record.birth);
    else
        ledger_lose(ledger, LOST_live_full, 1);
    if (old.weight > 0)
        site_died(ledger, old.site, &old, state_ordinal());
    step_slice();
    thread->busy = 0;
    if (requests_wait())
        adapter_visit(); /* called from JavaScript, so the engine may be called now */
    errno = saved;
}

static void born(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight)
{
    born_at(kind, number, bytes, weight, 0);
}

/* Also in the last round, where the thread is busy. */
static bool died(uint64_t number)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record record;

    if (!ledger || !live_remove(ledger, LIVE_REPORTED | number, &record))
        return false;
    site_died(ledger, record.site, &record, state_ordinal());
    return true;
}

static void held(uint64_t number, uint32_t holder)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record record, old;

    if (!ledger || !live_remove(ledger, LIVE_REPORTED | number, &record))
        return;
    record.holder = (uint16_t)holder;
    (void)live_insert(ledger, LIVE_REPORTED | number, &record, false, &old); /* in its own place */
}

static bool heap_sizes(uint64_t *used, uint64_t *external)
{
    uint64_t limit;

    if (!stack_js_heap(used, external, &limit))
        return false;
    gauges_set(GAUGE_heap_limit, limit);
    return true;
}

static void note(const char *text)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = text ? enter_ledger(&thread) : NULL;

    if (!ledger)
        return;
    ledger_note(ledger, state_ordinal(), text);
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

static uint32_t text_of(struct ledger *ledger, const char *text)
{
    return text && *text ? ledger_string(ledger, text, strlen(text)) : 0;
}

/* As the adapter reports them, innermost first. 0: no room. */
static uint32_t stack_of(struct ledger *ledger, const struct tare_frame *reported, uint32_t count)
{
    struct native_frame frames[REPORTED_DEPTH];

    count = count < REPORTED_DEPTH ? count : REPORTED_DEPTH;
    for (uint32_t i = 0; i < count; i++) {
        const struct script_record record = {.file = text_of(ledger, reported[i].file),
                                             .name = text_of(ledger, reported[i].function)};

        frames[i] = (struct native_frame){.unit = ledger_append(ledger, SECTION_scripts, &record),
                                          .offset = (uint64_t)reported[i].line << 32 |
                                                    reported[i].column};
    }
    return stack_of_functions(ledger, frames, count);
}

static void script(const char *file, const char *function, uint32_t line, uint64_t bytes)
{
    const struct tare_frame frame = {.file = file, .function = function, .line = line};
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = enter_ledger(&thread);

    if (!ledger)
        return;
    site_born(ledger,
              site_find(ledger, stack_of(ledger, &frame, 1), ledger_class(bytes),
                        SITE_SCRIPT),
              bytes, state_ordinal());
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
    } functions[OBJECTS_FUNCTIONS];
    const int saved = errno;
    struct ledger *ledger = state_ledger_now();
    struct thread *thread = thread_self;
    unsigned place = 0;
    uint32_t busy;

    if (!ledger || !thread)
        return 0;
    busy = thread->busy;
    thread->busy = 1;
    if (!site)
        site = site_find(ledger, stack_of(ledger, frames, count), SCRIPT_CLASS, SITE_SCRIPT);
    while (place < OBJECTS_FUNCTIONS - 1 && functions[place].site && functions[place].site != site)
        place++;
    if (site && (!functions[place].site || functions[place].site == site)) {
        const struct block_record gone = {.weight = functions[place].bytes, .birth = state_ordinal()};

        if (gone.weight > 0)
            site_died(ledger, site, &gone, gone.birth);
        site_born(ledger, site, bytes, state_ordinal());
        functions[place].site = site;
        functions[place].bytes = bytes;
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

/* ---- scripts whose text is in no file ---- */

static void keep_script(uint32_t number, const char *name, const char *text, size_t size)
{
    script_text_keep(stack_js_number(), number, name, text, size);
}

/* ---- inside a script that does not return to its event loop ----
 *
 * The adapter has been called there, at a safe point of its engine: the heap may be measured and collected,
 * but no JavaScript may run.
 */

/* Busy: the adapter's own script is running, and its collections are not counted. */
static bool interrupt_begin(void)
{
    if (asking_is_interrupt() || !thread_self || thread_self->busy || !stack_js_may_ask())
        return false;
    asking_set_interrupt(true);
    return true;
}

/* What fills a heap of JavaScript hardly ever calls the allocator: time would stand still. */
static void slice(void)
{
    struct thread *thread = thread_self;

    if (thread->busy)
        return;
    thread->busy = 1;
    step_slice();
    thread->busy = 0;
}

static void interrupt_end(void)
{
    slice();
    adapter_interrupted();
    asking_set_interrupt(false);
}

/* ---- a worker of the engine ends, and its heap with it ---- */

static unsigned workers; /* atomic: ends that were reported */

static void record_worker(struct ledger *ledger, uint64_t first, uint64_t latest)
{
    struct intervention_record record = {.kind = INTERVENTION_WORKER,
                                         .time = raw_now(),
                                         .ordinal = state_ordinal(),
                                         .heap_first = first,
                                         .heap_last = latest};
    struct thread_sums sums;

    thread_sum(&sums);
    record.live_before = record.live_after = sums.live_bytes;
    (void)ledger_append(ledger, SECTION_interventions, &record);
}

static void worker_over(uint64_t first, uint64_t latest)
{
    const int saved = errno;
    struct thread *thread = thread_self;
    struct ledger *ledger = state_ledger_now();

    if (!ledger || !thread || thread->busy || __atomic_load_n(&workers, __ATOMIC_RELAXED) >= WORKERS_MOST ||
        __atomic_fetch_add(&workers, 1, __ATOMIC_RELAXED) >= WORKERS_MOST)
        return;
    thread->busy = 1;
    record_worker(ledger, first, latest);
    thread->busy = 0;
    errno = saved;
}

/* ---- work that a device had in flight, and what was released when it was done ----
 *
 * The adapter asks the device and gets the answer later. The program keeps running until then.
 */

static struct intervention_record open_sync; /* time 0: none; only the adapter's thread writes */

static void measure(uint64_t *live, uint64_t *resident)
{
    struct thread_sums sums;

    thread_sum(&sums);
    *live = sums.live_bytes;
    *resident = step_resident();
}

static void sync_begin(void)
{
    const int saved = errno;

    open_sync = (struct intervention_record){
        .kind = INTERVENTION_SYNC, .ordinal = state_ordinal(), .time = raw_now()};
    measure(&open_sync.live_before, &open_sync.resident_before);
    errno = saved;
}

static void sync_end(void)
{
    const int saved = errno;
    struct ledger *ledger = open_sync.time ? state_ledger_now() : NULL;

    if (ledger) {
        open_sync.device_steps = state_ordinal() - open_sync.ordinal;
        measure(&open_sync.live_after, &open_sync.resident_after);
        (void)ledger_append(ledger, SECTION_interventions, &open_sync);
    }
    open_sync.time = 0;
    errno = saved;
}

void adapter_js_forked(void)
{
    workers = 0;
    open_sync.time = 0;
}

/* ---- the doors ---- */

EXPORT extern const struct tare_adapter_more tare_adapter_v2;
const struct tare_adapter_more tare_adapter_v2 = {.enter = stack_js_enter,
                                                  .leave = stack_js_leave,
                                                  .born = born,
                                                  .died = died,
                                                  .gauge = gauges_set,
                                                  .gauge_at = gauges_set_at,
                                                  .note = note,
                                                  .launch = launch,
                                                  .objects = script,
                                                  .collections = stack_js_collections,
                                                  .heap = heap_sizes,
                                                  .on_collected = asking_on_collected};

EXPORT extern const struct tare_adapter_heap tare_adapter_v3;
const struct tare_adapter_heap tare_adapter_v3 = {
    .objects = objects, .quiet = quiet, .on_snapshot = asking_on_snapshot, .thorough = stack_js_thorough,
    .kept = stack_js_kept};

EXPORT extern const struct tare_adapter_try tare_adapter_v4;
const struct tare_adapter_try tare_adapter_v4 = {.collect = asking_collect_js, .exposed = v8_exposed};

EXPORT extern const struct tare_workers tare_workers_v1;
const struct tare_workers tare_workers_v1 = {.charge = asking_charge};

EXPORT extern const struct tare_adapter_late tare_adapter_v5;
const struct tare_adapter_late tare_adapter_v5 = {.stack = stack_now, .born = born_at, .held = held};

EXPORT extern const struct tare_scripts tare_scripts_v1;
const struct tare_scripts tare_scripts_v1 = {.keep = keep_script, .wanted = script_text_wanted};

EXPORT extern const struct tare_midway tare_midway_v1;
const struct tare_midway tare_midway_v1 = {
    .begin = interrupt_begin, .end = interrupt_end, .over = step_over};

EXPORT extern const struct tare_workers_end tare_workers_v2;
const struct tare_workers_end tare_workers_v2 = {.over = worker_over};

EXPORT extern const struct tare_device tare_device_v1;
const struct tare_device tare_device_v1 = {.sync_begin = sync_begin, .sync_end = sync_end};
