/* adapter.c - see adapter.h. */
#include "probe/entry/adapter.h"

#include <errno.h>

#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/entry/life.h"
#include "probe/js/stack_js.h"
#include "probe/lines/gauges.h"
#include "probe/lines/lines.h"
#include "probe/lines/small_objects.h"
#include "probe/python/interpreter.h"
#include "probe/python/python_view.h"
#include "probe/record/step.h"
#include "probe/serve/asking.h"
#include "probe/serve/greeting.h"
#include "probe/serve/requests.h"

#define VISIT_NS 10000000u /* a slice of time */

static uint64_t last_visit; /* atomic: when it was last read where no clock of its own ticks */

static const bool known[LEDGER_CLOCKS] = {
#define CLOCK(number, name, ...) [number] = true,
#include "ledger/clocks.def"
#undef CLOCK
};

struct ledger *adapter_enter(struct thread **out)
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

void adapter_note(const char *text)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = text ? adapter_enter(&thread) : NULL;

    if (!ledger)
        return;
    ledger_note(ledger, state_ordinal(), text);
    thread->busy = 0;
    errno = saved;
}

/* The step is recorded: now serve the doctor's requests to the interpreter. */
static void act_on_tick(bool clockless)
{
    const int saved = errno;
    struct ledger *ledger = state_ledger_now();
    struct thread *self = thread_self;

    if (!ledger || !self || self->busy)
        return;
    self->busy = 1;
    asking_begin(false);
    gauges_act(ledger);
    if (clockless)
        gauges_arenas(ledger);
    if (requests_wait())
        requests_serve_waiting(ledger);
    asking_end();
    self->busy = 0;
    errno = saved;
}

bool adapter_is_due(uint64_t now)
{
    return greeting_is_here() && !state_loading(now) &&
           (requests_wait() || now - __atomic_load_n(&last_visit, __ATOMIC_RELAXED) >= VISIT_NS);
}

void adapter_interrupted(void)
{
    if (!greeting_is_here() || !asking_take_turn())
        return;
    act_on_tick(false);
    asking_give_turn();
}

void adapter_visit(void)
{
    if (!greeting_is_here() || !asking_take_turn())
        return;
    __atomic_store_n(&last_visit, raw_now(), __ATOMIC_RELAXED);
    gauges_read(CLOCK_loop);
    act_on_tick(true);
    asking_give_turn();
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

/* Within the engine: make no request to it. */
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
    if (!greeting_is_here() || !asking_take_turn()) {
        step_tick((enum clock_id)clock);
        return;
    }
    lines_pause(&pause);
    gauges_read((enum clock_id)clock);
    step_tick((enum clock_id)clock);
    act_on_tick(false);
    lines_resume(&pause);
    asking_give_turn();
}

/* A small process has no ledger, and a greeting does not justify making one. */
void adapter_hello(const char *what)
{
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger;

    if (!what || !greeting_take(what))
        return;
    interpreter_find(); /* here it is safe to search: the caller is the program's own code */
    python_view_meet();
    greeting_publish();
    life_begin();
    thread = thread_self ? thread_self : thread_attach();
    if (thread && !thread->busy && thread->alive == THREAD_ALIVE) {
        thread->busy = 1;
        ledger = state_ledger_now();
        if (ledger)
            greeting_note(ledger);
        thread->busy = 0;
    }
    errno = saved;
}

static void say_brief(void)
{
    struct ledger *ledger = state_ledger_now();

    if (ledger)
        ledger_note(ledger, state_ordinal(),
                    "The program ended with threads at work, so that nothing was asked of it at its end: "
                    "before Python 3.11 a delay there can crash it.");
}

/* The interpreter is about to take itself down: what it holds now is what counts. The caller has
 * its lock, so that in this round, and on this thread, it may be asked to collect. */
void adapter_end(void)
{
    const bool turn = asking_take_turn();
    bool brief;

    if (turn) {
        asking_begin(true);
        gauges_read_now();
    }
    brief = turn && interpreter_must_end_soon();
    if (brief)
        say_brief();
    life_end(!brief);
    if (turn) {
        small_objects_end();
        asking_end();
        asking_give_turn();
    }
}
