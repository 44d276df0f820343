/* life.c - see life.h. */
#include "probe/entry/life.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confinement.h"
#include "probe/core/next.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/entry/birth.h"
#include "probe/entry/parts.h"
#include "probe/entry/run_dir.h"
#include "probe/record/costs.h"
#include "probe/record/rate.h"
#include "probe/record/step.h"
#include "probe/serve/greeting.h"
#include "probe/serve/holders.h"
#include "probe/serve/requests.h"

enum begun { NOT_BEGUN = 0, BEGINNING = 1, BEGUN = 2 };

static uint32_t begun;               /* atomic: enum begun */
static bool filtered;                /* atomic: off because system calls are forbidden */
static bool ended;                   /* atomic: life_end has run in this process */
static struct bell *bell;            /* of the run */
static pid_t *owner; /* the process that all this belongs to; in a page that a fork wipes: 0 in a copy */

void life_off(const char *reason)
{
    struct ledger *now = state_ledger_now();

    if (now && !state_is_off()) {
        now->head->off_reason = ledger_string(now, reason, strlen(reason));
        ledger_state(now, STATE_OFF);
    }
    state_off();
    if (__atomic_exchange_n(&thread_watched, 0, __ATOMIC_ACQ_REL) != 0)
        thread_watch(0);
}

/* ---- whose process is this ---- */

static pid_t number(void)
{
    return (pid_t)syscall(SYS_getpid);
}

enum life_process life_process(void)
{
    if (*owner == 0)
        return LIFE_COPY;
    return *owner == number() ? LIFE_OURS : LIFE_BORROWED;
}

void life_confine(bool filter)
{
    if (state_is_off()) { /* perhaps under a filter already: make no system call */
        if (filter)
            __atomic_store_n(&filtered, true, __ATOMIC_RELAXED);
        return;
    }
    switch (life_process()) {
    case LIFE_OURS:
        holders_abandon(UNSEARCHED_end);
        life_off("the program limits its own system calls, and one of the probe's could kill it");
        thread_let_others_finish(); /* the filter may be theirs, too */
        break;
    case LIFE_COPY: /* its parent, whose ledger it still has, works on */
        state_off();
        break;
    case LIFE_BORROWED: /* it soon leaves or is another program; what it shares with us goes on */
        return;
    }
    if (filter)
        __atomic_store_n(&filtered, true, __ATOMIC_RELAXED);
}

bool life_is_filtered(void)
{
    return __atomic_load_n(&filtered, __ATOMIC_RELAXED);
}

static bool own_process(void)
{
    owner = own_map(sizeof(*owner));
    if (owner)
        *owner = number();
    return owner != NULL;
}

/* ---- start ---- */

static void new_process(struct thread *self, bool raw);

/* Where the address space is limited, what we take is missing to the program: it must have as much again and
 * more, or we take nothing at all. */
static bool has_space(void)
{
    const long trial = syscall(SYS_mmap, NULL, LEDGER_SPACE_LEAST, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

    if (trial == -1) {
        (void)__atomic_add_fetch(&bell->refused, 1, __ATOMIC_RELAXED);
        return false;
    }
    (void)syscall(SYS_munmap, trial, LEDGER_SPACE_LEAST);
    return true;
}

/* A filter that this program did not get from `tare run` may kill it for a call that only we make. */
static bool is_free(void)
{
    if (confinement_read() <= bell->filters)
        return true;
    filtered = true;
    (void)__atomic_add_fetch(&bell->confined, 1, __ATOMIC_RELAXED);
    return false;
}

static struct ledger *make_if_due(void)
{
    const int saved = errno;

    if (__atomic_load_n(&ended, __ATOMIC_RELAXED) || life_process() != LIFE_OURS)
        return NULL;
    if (!birth_make())
        life_off("no ledger");
    errno = saved;
    return state_ledger_now();
}

static void before_fork(void)
{
    if (!state_is_off())
        thread_before_fork();
}

static void after_fork_in_child(void)
{
    if (!state_is_off())
        new_process(thread_self, false);
}

static bool set_up(void)
{
    return parts_set_up() && next.usable && pthread_atfork(before_fork, NULL, after_fork_in_child) == 0;
}

/* Everything is in place: from here on the probe works. */
static void begin(void)
{
    static const struct state_lifecycle lifecycle = {make_if_due, new_process};

    rate_begin(bell->rate, bell->rate != 0);
    state_begin(&lifecycle);
}

void life_begin(void)
{
    uint32_t seen = NOT_BEGUN;
    int saved;

    if (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) == BEGUN ||
        !__atomic_compare_exchange_n(&begun, &seen, BEGINNING, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return;
    saved = errno;
    next_resolve();
    bell = run_dir_find();
    if (bell && is_free() && has_space() && own_process() && set_up())
        begin();
    __atomic_store_n(&begun, BEGUN, __ATOMIC_RELEASE);
    errno = saved;
}

/* ---- fork ---- */

static void new_process(struct thread *self, bool raw)
{
    const int saved = errno;

    if (state_is_off()) { /* not one system call: they may be forbidden by now */
        if (self)
            self->alive = THREAD_ALIVE;
        return;
    }
    birth_forked(raw);
    *owner = number();
    ended = false;
    parts_begin_again();
    rate_begin(bell->rate, bell->rate != 0);
    thread_after_fork(self, (raw ? step_last_sums() : thread_sums_at_fork())->classes);
    errno = saved;
}

/* ---- the end ---- */

static void serve(void)
{
    struct ledger *now = state_ledger_now();

    if (now)
        requests_serve(now);
}

/* What its requests take is counted with them; the rest is the wait. */
static void last_round(struct ledger *now)
{
    const uint64_t begin = raw_now(), paused = requests_pause();
    uint64_t wait, asked;

    ledger_state(now, STATE_LAST_ROUND);
    mailbox_last_round(state_mailbox(), bell, serve);
    requests_await(now);
    wait = raw_now() - begin;
    asked = requests_pause() - paused;
    wait = wait > asked ? wait - asked : 0;
    costs_add(now, COST_last_round,
              &(struct cost_record){.count = 1, .pause_ns = wait, .longest_ns = wait});
}

bool life_may_end(void)
{
    return !state_is_off() && !__atomic_load_n(&ended, __ATOMIC_ACQUIRE) &&
           life_process() == LIFE_OURS;
}

void life_end(bool round)
{
    const int saved = errno;
    struct thread *thread = thread_self;
    struct ledger *now = state_ledger_now();

    if (!life_may_end() || __atomic_exchange_n(&ended, true, __ATOMIC_ACQ_REL))
        return;
    if (!now) {
        (void)__atomic_add_fetch(&bell->small, 1, __ATOMIC_RELAXED);
        return;
    }
    if (thread)
        thread->busy++;
    step_finish(now);
    greeting_missed(now, 0, 0);
    if (round && state_mailbox())
        last_round(now);
    holders_abandon(UNSEARCHED_end);
    ledger_state(now, STATE_ENDED);
    /* What destructors release now says nothing of the program: the ledger stays as it is. */
    (void)state_publish(NULL);
    if (thread)
        thread->busy--;
    errno = saved;
}

/* The root process has its ledger from the start; others when they first need one. */
__attribute__((constructor(101))) static void start(void)
{
    struct thread *thread;

    life_begin();
    thread = state_is_off() ? NULL : thread_self ? thread_self : thread_attach();
    if (!thread || !birth_is_root())
        return;
    thread->busy++;
    (void)state_ledger();
    thread->busy--;
}
