/* asking.c - see asking.h. */
#include "probe/serve/asking.h"

#include "base/invariant.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/js/stack_js.h"
#include "probe/python/interpreter.h"

#define HIGH_THRESHOLD 10000 /* the usual ones are 700 and 2,000 */

static struct thread *holder; /* atomic: the one that has the turn; NULL: none */
static bool asking;           /* the holder may make requests now; only the holder writes */
static bool last;             /* the last round waits for no thread; only the holder writes */
static bool collector_off;    /* as it was last found, and recorded */
static bool noted_collector;  /* the ledger says that the collector does not run by itself */
static struct thread *charged; /* atomic: the thread whose heap the gauges show; NULL: not known */
static __thread bool interrupt;
static __thread struct {
    void (*call)(void *);
    void *data;
} after_collection;
static __thread struct {
    bool (*take)(void *, const char *, uint64_t, uint32_t *);
    void *data;
} heap_writer;

bool asking_take_turn(void)
{
    struct thread *nobody = NULL, *self = thread_self ? thread_self : thread_attach();

    return self && !self->busy && self->alive == THREAD_ALIVE &&
           __atomic_compare_exchange_n(&holder, &nobody, self, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

void asking_give_turn(void)
{
    INVARIANT(__atomic_load_n(&holder, __ATOMIC_RELAXED) == thread_self);
    __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
}

void asking_begin(bool last_round)
{
    asking = true;
    last = last_round;
}

void asking_end(void)
{
    asking = last = false;
}

bool asking_may(void)
{
    return thread_self && asking && (last || asking_in_charge()) &&
           __atomic_load_n(&holder, __ATOMIC_ACQUIRE) == thread_self;
}

/* ---- collecting ---- */

static void record_collector(struct ledger *ledger, bool off)
{
    const struct intervention_record record = {
        .kind = off ? INTERVENTION_COLLECTOR_OFF : INTERVENTION_COLLECTOR_ON,
        .ordinal = state_ordinal(),
        .time = raw_now()};

    if (off == collector_off)
        return;
    collector_off = off;
    (void)ledger_append(ledger, SECTION_interventions, &record);
}

static void note_collector(void)
{
    struct ledger *ledger = state_ledger_now();
    struct python_collector state;

    if (!ledger || !interpreter_collector(&state))
        return;
    record_collector(ledger, !state.enabled || state.threshold == 0);
    if (noted_collector)
        return;
    noted_collector = !state.enabled || state.threshold == 0 || state.threshold > HIGH_THRESHOLD;
    if (!state.enabled || state.threshold == 0)
        ledger_note(ledger, state_ordinal(),
                    "Python's garbage collector is switched off: reference cycles stay until the "
                    "program collects them.");
    else if (noted_collector)
        ledger_note(ledger, state_ordinal(),
                    "Python's garbage collector has a raised threshold: reference cycles wait long.");
}

/* Finalizers and other threads may run during the collection. What they do is the program's own. */
long asking_collect(void)
{
    struct thread *self = thread_self;
    uint32_t busy;
    long found;

    if (!asking_may())
        return -1;
    if (stack_js_is_here())
        return asking_collect_js() ? 0 : -1;
    note_collector();
    busy = self->busy;
    asking = false;
    self->busy = 0;
    found = interpreter_collect();
    self->busy = busy;
    asking = true;
    return found;
}

/* ---- the JavaScript engine ---- */

bool asking_collect_js(void)
{
    if (!stack_js_collect())
        return false;
    if (after_collection.call)
        after_collection.call(after_collection.data);
    return true;
}

bool asking_snapshot(const char *path, uint64_t most, uint32_t *since)
{
    return heap_writer.take && asking_in_charge() && stack_js_may_ask() && !interrupt &&
           heap_writer.take(heap_writer.data, path, most, since);
}

bool asking_in_charge(void)
{
    const struct thread *now = __atomic_load_n(&charged, __ATOMIC_ACQUIRE);

    return !now || now == thread_self;
}

void asking_charge(bool mine)
{
    struct thread *self = thread_self ? thread_self : thread_attach();

    __atomic_store_n(&charged, mine ? self : NULL, __ATOMIC_RELEASE);
}

void asking_on_collected(void (*call)(void *), void *data)
{
    after_collection.call = call;
    after_collection.data = data;
}

void asking_on_snapshot(bool (*take)(void *, const char *, uint64_t, uint32_t *), void *data)
{
    heap_writer.take = take;
    heap_writer.data = data;
}

bool asking_is_interrupt(void)
{
    return interrupt;
}

void asking_set_interrupt(bool now)
{
    interrupt = now;
}

void asking_forked(void)
{
    holder = charged = NULL;
    asking = last = collector_off = noted_collector = false;
}
