/* adapter_js.c - see adapter_js.h. */
#include "probe/entry/adapter_js.h"

#include <errno.h>
#include <string.h>

#include "ledger/site_kind.h"
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
#include "probe/record/costs.h"
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

uint32_t adapter_js_stack(void)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = adapter_enter(&thread);
    uint32_t stack = 0;

    if (ledger) {
        stack = stack_take_js(ledger);
        thread->busy = 0;
    }
    errno = saved;
    return stack;
}

/* `stack` 0: of the JavaScript that is running. */
void adapter_js_born(uint32_t kind, uint64_t number, uint64_t bytes, uint64_t weight, uint32_t stack)
{
    const int saved = errno;
    struct block_record record = {.size = bytes, .weight = weight}, old;
    struct thread *thread;
    struct ledger *ledger = site_is_reported(kind) ? adapter_enter(&thread) : NULL;

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

/* Also in the last round, where the thread is busy. */
bool adapter_js_died(uint64_t number)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record record;

    if (!ledger || !live_remove(ledger, LIVE_REPORTED | number, &record))
        return false;
    site_died(ledger, record.site, &record, state_ordinal());
    return true;
}

void adapter_js_held(uint64_t number, uint32_t holder)
{
    struct ledger *ledger = state_ledger_now();
    struct block_record record, old;

    if (!ledger || !live_remove(ledger, LIVE_REPORTED | number, &record))
        return;
    record.holder = (uint16_t)holder;
    (void)live_insert(ledger, LIVE_REPORTED | number, &record, false, &old); /* in its own place */
}

bool adapter_js_heap(uint64_t *used, uint64_t *external)
{
    uint64_t limit;

    if (!stack_js_heap(used, external, &limit))
        return false;
    gauges_set(GAUGE_heap_limit, limit);
    return true;
}

void adapter_js_launch(void)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = adapter_enter(&thread);

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

/* Also while the doctor is served, where the thread is busy. */
uint32_t adapter_js_objects(uint32_t site, const struct tare_frame *frames, uint32_t count,
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

bool adapter_js_quiet(bool on)
{
    struct thread *thread = thread_self;
    const bool before = thread && thread->busy;

    if (thread && thread->alive == THREAD_ALIVE)
        thread->busy = on;
    return before;
}

/* ---- scripts whose text is in no file ---- */

void adapter_js_keep_script(uint32_t number, const char *name, const char *text, size_t size)
{
    script_text_keep(stack_js_number(), number, name, text, size);
}

/* ---- inside a script that does not return to its event loop ----
 *
 * The adapter has been called there, at a safe point of its engine: the heap may be measured and collected,
 * but no JavaScript may run.
 */

/* Busy: the adapter's own script is running, and its collections are not counted. */
bool adapter_js_interrupt_begin(void)
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

void adapter_js_interrupt_end(void)
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

void adapter_js_worker_over(uint64_t first, uint64_t latest)
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

void adapter_sync_begin(void)
{
    const int saved = errno;

    open_sync = (struct intervention_record){
        .kind = INTERVENTION_SYNC, .ordinal = state_ordinal(), .time = raw_now()};
    measure(&open_sync.live_before, &open_sync.resident_before);
    errno = saved;
}

void adapter_sync_end(void)
{
    const int saved = errno;
    struct ledger *ledger = open_sync.time ? state_ledger_now() : NULL;

    if (ledger) {
        open_sync.device_steps = state_ordinal() - open_sync.ordinal;
        measure(&open_sync.live_after, &open_sync.resident_after);
        (void)ledger_append(ledger, SECTION_interventions, &open_sync);
        costs_add(ledger, COST_sync, &(struct cost_record){.count = 1, .bytes = sizeof(open_sync)});
    }
    open_sync.time = 0;
    errno = saved;
}

void adapter_js_forked(void)
{
    workers = 0;
    open_sync.time = 0;
}
