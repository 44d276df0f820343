/* adapter.c - see adapter.h. */
#include "probe/adapter.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/export.h"
#include "probe/gauges.h"
#include "probe/interpreter.h"
#include "probe/life.h"
#include "probe/lines.h"
#include "probe/node_options.h"
#include "probe/objects.h"
#include "probe/python_view.h"
#include "probe/raw.h"
#include "probe/requests.h"
#include "probe/stack_js.h"
#include "probe/step.h"
#include "probe/told.h"
#include "probe/thread.h"

#define GREETING_BYTES 120
#define PROGRAM_BYTES 1024
#define LOADING_NS 300000000u
#define VISIT_NS 10000000u /* a slice of time */
#define HIGH_THRESHOLD 10000 /* the usual ones are 700 and 2,000 */

static char greeting[GREETING_BYTES];
static uint8_t greeting_taken; /* atomic: one adapter writes `greeting`, once */
static bool greeted;           /* atomic: `greeting` is complete */
static bool noted;             /* atomic: this process's ledger has it */
static bool missed;            /* atomic: this process's ledger says that nobody came */

static struct thread *holder; /* atomic: the one that may ask the interpreter; NULL: none */
static uint64_t last_visit;   /* atomic: when it was last read where no clock of its own ticks */
static bool asking;           /* the holder is at a point where it may; by the holder alone */
static bool ending;           /* in the last round no other thread is waited for; by the holder alone */
static bool collector_off;    /* as it was last found, and recorded */
static bool told_collector;   /* the ledger says that the collector does not run by itself */
static uint64_t last_load;     /* atomic: time of the last word of it; 0: none */

static const bool known[LEDGER_CLOCKS] = {
#define CLOCK(number, name, says) [number] = true,
#include "ledger/clocks.def"
#undef CLOCK
};

/* ---- with the interpreter's lock ---- */

/* The caller holds it, unless finalizers of a collection gave it to another thread meanwhile: then
 * that one, or a tick inside a finalizer, only ticks. */
static bool take_lock(void)
{
    struct thread *nobody = NULL, *self = thread_self ? thread_self : thread_attach();

    return self && !self->busy && self->alive == THREAD_ALIVE &&
           __atomic_compare_exchange_n(&holder, &nobody, self, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

/* The step is recorded: now is the time for what the doctor asked of the interpreter. */
static void act_on_tick(bool clockless)
{
    const int saved = errno;
    struct ledger *ledger = life_ledger_now();
    struct thread *self = thread_self;

    if (!ledger || !self || self->busy)
        return;
    self->busy = 1;
    asking = true;
    gauges_act(ledger);
    if (clockless)
        gauges_arenas(ledger);
    if (requests_wait())
        requests_serve_waiting(ledger);
    asking = false;
    self->busy = 0;
    errno = saved;
}

bool adapter_is_due(uint64_t now)
{
    return __atomic_load_n(&greeted, __ATOMIC_RELAXED) && !adapter_loading(now) &&
           (requests_wait() || now - __atomic_load_n(&last_visit, __ATOMIC_RELAXED) >= VISIT_NS);
}

void adapter_midway(void)
{
    if (!__atomic_load_n(&greeted, __ATOMIC_ACQUIRE) || !take_lock())
        return;
    act_on_tick(false);
    __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
}

void adapter_visit(void)
{
    if (!__atomic_load_n(&greeted, __ATOMIC_ACQUIRE) || !take_lock())
        return;
    __atomic_store_n(&last_visit, raw_now(), __ATOMIC_RELAXED);
    gauges_read(CLOCK_loop);
    act_on_tick(true);
    __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
}

bool adapter_may_ask(void)
{
    return thread_self && asking && (ending || told_in_charge()) &&
           __atomic_load_n(&holder, __ATOMIC_ACQUIRE) == thread_self;
}

/* An event loop also turns for tasks of its engine's own: a turn without any JavaScript is none of
 * the program's work. */
static bool was_idle(void)
{
    static __thread uint64_t turned_at; /* calls of JavaScript at the last turn of its loop */
    const uint64_t calls = stack_js_calls();
    const bool idle = calls == turned_at;

    turned_at = calls;
    return idle;
}

/* Within the engine: nothing is asked of it. */
void adapter_collects(void)
{
    if (!was_idle())
        step_tick(CLOCK_turn);
}

/* Slices of time are the probe's own. */
void adapter_tick(uint32_t clock)
{
    struct lines_pause pause;

    if (clock == CLOCK_time || clock >= LEDGER_CLOCKS || !known[clock] ||
        (clock == CLOCK_turn && was_idle()))
        return;
    life_begin();
    if (!__atomic_load_n(&greeted, __ATOMIC_ACQUIRE) || !take_lock()) {
        step_tick((enum clock_id)clock);
        return;
    }
    lines_pause(&pause);
    gauges_read((enum clock_id)clock);
    step_tick((enum clock_id)clock);
    act_on_tick(false);
    lines_resume(&pause);
    __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
}

/* `greeted` and the ledger are each published before the other is looked for: of a thread that
 * greets and one that makes the ledger at least one sees both. */
static void note_greeting(struct ledger *ledger)
{
    if (__atomic_load_n(&greeted, __ATOMIC_SEQ_CST) &&
        !__atomic_exchange_n(&noted, true, __ATOMIC_ACQ_REL))
        ledger_note(ledger, step_ordinal(), greeting);
}

/* A small process has no ledger, and a greeting is no reason to make one. */
static void hello(const char *what)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger;

    if (!what || __atomic_test_and_set(&greeting_taken, __ATOMIC_ACQUIRE))
        return;
    strncpy(greeting, what, sizeof(greeting) - 1);
    interpreter_find(); /* called from the program's own code: here a symbol may be looked for */
    python_view_meet();
    __atomic_store_n(&greeted, true, __ATOMIC_SEQ_CST);
    life_begin();
    thread = thread_self ? thread_self : thread_attach();
    if (thread && !thread->busy && thread->alive == THREAD_ALIVE) {
        thread->busy = 1;
        ledger = life_ledger_now();
        if (ledger)
            note_greeting(ledger);
        thread->busy = 0;
    }
    errno = saved;
}

static void say_brief(void)
{
    struct ledger *ledger = life_ledger_now();

    if (ledger)
        ledger_note(ledger, step_ordinal(),
                    "The program ended with threads at work, so that nothing was asked of it at its end: "
                    "before Python 3.11 a delay there can crash it.");
}

/* The interpreter is about to take itself down: what it holds now is what counts. The caller has
 * its lock, so that in this round, and on this thread, it may be asked to collect. */
static void end(void)
{
    bool brief;

    asking = take_lock();
    ending = asking;
    if (asking)
        gauges_read_now();
    brief = asking && interpreter_must_end_soon();
    if (brief)
        say_brief();
    life_end(!brief);
    if (asking) {
        objects_end();
        asking = ending = false;
        __atomic_store_n(&holder, NULL, __ATOMIC_RELEASE);
    }
}

static void record_collector(struct ledger *ledger, bool off)
{
    const struct intervention_record record = {
        .kind = off ? INTERVENTION_COLLECTOR_OFF : INTERVENTION_COLLECTOR_ON,
        .ordinal = step_ordinal(),
        .time = raw_now()};

    if (off == collector_off)
        return;
    collector_off = off;
    (void)ledger_append(ledger, SECTION_interventions, &record);
}

static void tell_collector(void)
{
    struct ledger *ledger = life_ledger_now();
    struct python_collector state;

    if (!ledger || !interpreter_collector(&state))
        return;
    record_collector(ledger, !state.enabled || state.threshold == 0);
    if (told_collector)
        return;
    told_collector = !state.enabled || state.threshold == 0 || state.threshold > HIGH_THRESHOLD;
    if (!state.enabled || state.threshold == 0)
        ledger_note(ledger, step_ordinal(),
                    "Python's garbage collector is switched off: reference cycles stay until the "
                    "program collects them.");
    else if (told_collector)
        ledger_note(ledger, step_ordinal(),
                    "Python's garbage collector has a raised threshold: reference cycles wait long.");
}

/* What runs meanwhile is the program's own: finalizers, and other threads. */
long adapter_collect(void)
{
    struct thread *self = thread_self;
    uint32_t busy;
    long found;

    if (!adapter_may_ask())
        return -1;
    if (stack_js_is_here())
        return told_collect() ? 0 : -1;
    tell_collector();
    busy = self->busy;
    asking = false;
    self->busy = 0;
    found = interpreter_collect();
    self->busy = busy;
    asking = true;
    return found;
}

void adapter_loads(void)
{
    __atomic_store_n(&last_load, raw_now(), __ATOMIC_RELAXED);
}

bool adapter_loading(uint64_t now)
{
    const uint64_t last = __atomic_load_n(&last_load, __ATOMIC_RELAXED);

    return last != 0 && (now < last || now - last < LOADING_NS);
}

void adapter_introduce(struct ledger *ledger)
{
    note_greeting(ledger);
}

/* The base name of the executable, in `path`; "" when it is not to be had. */
static const char *program_name(char path[PROGRAM_BYTES])
{
    const ssize_t length = readlink("/proc/self/exe", path, PROGRAM_BYTES - 1);
    const char *slash;

    path[length > 0 ? length : 0] = 0;
    slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* python, python3, python3.11, python3.13t. */
static bool looks_like_python(void)
{
    char path[PROGRAM_BYTES];
    const char *name = program_name(path);

    return strncmp(name, "python", 6) == 0 && (name[6] == 0 || (name[6] >= '0' && name[6] <= '9'));
}

bool adapter_is_node(void)
{
    char path[PROGRAM_BYTES];
    const char *name = program_name(path);

    return strcmp(name, "node") == 0 || strcmp(name, "nodejs") == 0;
}

bool adapter_is_python(void)
{
    static uint8_t answer; /* atomic: 1 + it; 0: not asked yet */
    uint8_t now = __atomic_load_n(&answer, __ATOMIC_RELAXED);

    if (now == 0) {
        now = looks_like_python() ? 2 : 1;
        __atomic_store_n(&answer, now, __ATOMIC_RELAXED);
    }
    return now == 2;
}

bool adapter_is_here(void)
{
    return __atomic_load_n(&greeted, __ATOMIC_ACQUIRE);
}

void adapter_missed(struct ledger *ledger, uint64_t now, uint64_t grace)
{
    if (__atomic_load_n(&greeted, __ATOMIC_ACQUIRE) || now - ledger->head->start_mono < grace ||
        __atomic_exchange_n(&missed, true, __ATOMIC_ACQ_REL))
        return;
    if (node_options_left_out())
        ledger_note(ledger, step_ordinal(),
                    "This Node runs with its permission model or a policy, which do not let tare's "
                    "adapter load: memory was measured without JavaScript's lines and steps.");
    else if (adapter_is_node())
        ledger_note(ledger, step_ordinal(),
                    "This is Node, but tare's adapter was not loaded (a replaced NODE_OPTIONS, or a "
                    "build of Node that does not read it): its lines and steps were not seen.");
    if (adapter_is_python())
        ledger_note(ledger, step_ordinal(),
                    "This is Python, but tare's adapter was not loaded (the options -I, -E and -S "
                    "and a replaced PYTHONPATH prevent it): the steps of its frameworks were not "
                    "seen.");
}

void adapter_reset(void)
{
    noted = missed = told_collector = collector_off = asking = ending = false;
    holder = NULL;
    told_reset();
}

EXPORT extern const struct tare_adapter tare_adapter_v1;
const struct tare_adapter tare_adapter_v1 = {
    .tick = adapter_tick, .hello = hello, .loading = adapter_loads, .end = end};
