/* pending.c - see pending.h. */
#include "probe/entry/pending.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "probe/core/program.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/entry/adapter.h"
#include "probe/lines/lines.h"
#include "probe/python/loops.h"
#include "probe/python/python_api.h"
#include "probe/python/stack_python.h"
#include "probe/record/step.h"
#include "probe/serve/greeting.h"

#define PAUSE_NS 20000u /* between two requested calls, of about 0.3 µs each */
#define DEPTH 96
#define AGAIN 4 /* calls for one look, when what allocated has not been finished */
#define INJECT "/python/inject/sitecustomize.py"

static __thread bool on_main;
static const struct python *interpreter;
static bool asked;     /* a call is on its way */
static bool tried;     /* to load the adapter */
static unsigned again; /* calls that may follow for the same look */
static uint64_t asked_time;

void pending_setup(void)
{
    on_main = true;
}

void pending_forked(void)
{
    on_main = true;
    asked = false;
    asked_time = 0;
}

static void load_adapter(const struct python_frame *outermost)
{
    char path[LEDGER_PATH_MAX + sizeof(INJECT)];
    const char *slash;
    Dl_info info;

    if (tried || greeting_is_here() || !python_api_is_main(interpreter, outermost->code))
        return;
    tried = true;
    if (!dladdr((const void *)&tried, &info) || !info.dli_fname)
        return;
    slash = strrchr(info.dli_fname, '/');
    if (!slash || slash - info.dli_fname > LEDGER_PATH_MAX - 1)
        return;
    (void)snprintf(path, sizeof(path), "%.*s" INJECT, (int)(slash - info.dli_fname),
                   info.dli_fname);
    python_api_load(path);
}

static int run(void *unused);

static void ask(uint64_t now)
{
    asked = python_api_soon(interpreter, run);
    asked_time = now;
}

/* By the interpreter, with its lock held. */
static int run(void *unused)
{
    struct python_frame frames[DEPTH];
    struct ledger *ledger = state_ledger_now();
    struct thread *thread = thread_self;
    const int saved = errno;
    struct lines_pause pause;
    bool work = true;
    unsigned count;

    (void)unused;
    asked = false;
    if (!ledger || !thread || !on_main || thread->busy || thread->alive != THREAD_ALIVE)
        return 0;
    lines_pause(&pause);
    thread->busy = 1;
    count = stack_python_walk(ledger, frames, DEPTH);
    if (count > 0 && count < DEPTH && !step_has_clock(raw_now()))
        work = loops_pending(interpreter, frames, count);
    thread->busy = 0;
    if (count > 0 && count < DEPTH)
        load_adapter(&frames[count - 1]);
    if (!work)
        state_loads();
    else if (!step_has_clock(raw_now()))
        adapter_visit();
    if (loops_want_pending() && again > 0) {
        again--;
        ask(asked_time);
    }
    lines_resume(&pause);
    errno = saved;
    return 0;
}

/* Until the adapter is loaded, and where nothing else reports steps. */
void pending_look(const struct python_frame *frames, unsigned count, unsigned max)
{
    const struct python *python = on_main ? stack_python_trusted() : NULL;
    const uint64_t now = python && python->symbols.add_pending ? raw_now() : 0;
    bool wanted;

    if (now == 0)
        return;
    interpreter = python;
    wanted = !tried && !greeting_is_here() && program_is_python();
    if (!step_has_clock(now)) {
        loops_look(frames, count, max, now);
        wanted = wanted || loops_want_pending() || adapter_is_due(now);
    }
    if (!wanted || (asked && now - asked_time < 5000u * PAUSE_NS) || now - asked_time < PAUSE_NS)
        return;
    again = AGAIN;
    ask(now);
}
