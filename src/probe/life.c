/* life.c - see life.h. */
#include "probe/life.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confinement.h"
#include "base/owned.h"
#include "base/quiet.h"
#include "ledger/pieces.h"
#include "probe/adapter.h"
#include "probe/birth.h"
#include "probe/filter.h"
#include "probe/frameworks.h"
#include "probe/gauges.h"
#include "probe/holders.h"
#include "probe/launch.h"
#include "probe/lines.h"
#include "probe/maps.h"
#include "probe/marks.h"
#include "probe/modules.h"
#include "probe/next.h"
#include "probe/own.h"
#include "probe/pool.h"
#include "probe/rate.h"
#include "probe/requests.h"
#include "probe/sample.h"
#include "probe/site.h"
#include "probe/sample_pure.h"
#include "probe/stack.h"
#include "probe/stack_fold.h"
#include "probe/stack_native.h"
#include "probe/stack_python.h"
#include "probe/step.h"

enum begun { NOT_BEGUN = 0, BEGINNING = 1, BEGUN = 2 };

static uint32_t begun;               /* atomic: enum begun */
static bool off;                     /* atomic: never cleared */
static bool filtered;                /* atomic: off because system calls are forbidden */
static uint8_t making;               /* atomic: one thread makes the ledger */
static bool ended;                   /* atomic: life_end has run in this process */
static bool cloned_unseen;           /* a raw clone: to be counted once there is a ledger */
static char directory[LEDGER_PATH_MAX];
static struct ledger ledger;
static struct ledger *ready; /* atomic: &ledger once it is complete */
static struct mailbox *mail;
static struct bell *bell;
static uid_t run_user; /* who the run's directory belongs to */
static bool moved;     /* atomic: this process has another root directory than when it began */
static pid_t *owner; /* the process that all this belongs to; in a page that a fork wipes: 0 in a copy */

bool life_is_off(void)
{
    return __atomic_load_n(&off, __ATOMIC_RELAXED) ||
           __atomic_load_n(&begun, __ATOMIC_ACQUIRE) != BEGUN;
}

struct ledger *life_ledger_now(void)
{
    return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

struct mailbox *life_mailbox(void)
{
    return mail;
}

struct bell *life_bell(void)
{
    return bell;
}

void life_lose(enum lost_reason reason, uint64_t count)
{
    struct ledger *now = life_ledger_now();

    if (now)
        ledger_lose(now, reason, count);
}

void life_off(const char *reason)
{
    struct ledger *now = life_ledger_now();

    if (now && !__atomic_load_n(&off, __ATOMIC_RELAXED)) {
        now->head->off_reason = ledger_string(now, reason, strlen(reason));
        ledger_state(now, STATE_OFF);
    }
    __atomic_store_n(&off, true, __ATOMIC_RELAXED);
    __atomic_store_n(&ready, NULL, __ATOMIC_RELEASE);
    if (__atomic_exchange_n(&rate_watched, 0, __ATOMIC_ACQ_REL) != 0)
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
    if (life_is_off()) { /* perhaps under a filter already: nothing is asked */
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
        __atomic_store_n(&off, true, __ATOMIC_RELAXED);
        __atomic_store_n(&ready, NULL, __ATOMIC_RELEASE);
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

static void before_fork(void)
{
    if (!life_is_off())
        thread_before_fork();
}

static void after_fork_in_child(void)
{
    if (!life_is_off())
        life_new_process(thread_self, false);
}

/* A variable of the environment. Functions of .preinit_array run before libc has set `environ`:
 * then it is read where the kernel put it, above the argument vector on the first stack. */
static const char *variable(const char *name)
{
    const size_t length = strlen(name);
    char *const *const *first = environ ? NULL : dlsym(RTLD_DEFAULT, "__libc_stack_end");
    char *const *at;

    if (!first)
        return getenv(name);
    for (at = *first + *(const long *)(const void *)*first + 2; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return *at + length + 1;
    return NULL;
}

int life_open_directory(void)
{
    return owned_open(directory);
}

enum life_reach life_reach(void)
{
    const bool other = bell && (uid_t)syscall(SYS_geteuid) != run_user;
    int fd;

    if (!bell || (!other && !__atomic_load_n(&moved, __ATOMIC_RELAXED)))
        return LIFE_REACHED;
    fd = life_open_directory();
    if (fd >= 0)
        quiet_close(fd);
    return fd >= 0 ? LIFE_REACHED : other ? LIFE_OTHER_USER : LIFE_OTHER_ROOT;
}

void life_moved(void)
{
    struct ledger *now = life_ledger_now();

    __atomic_store_n(&moved, true, __ATOMIC_RELAXED);
    if (now)
        ledger_detach(now, true);
}

/* The run's directory and doorbell. False: nobody asked for us, or they are gone, or another user's,
 * who could end this program through them. */
static bool find_run(void)
{
    const char *path = variable("TARE_DIR"), *no = variable("TARE_OFF");
    struct why why;
    int fd;

    if (!path || path[0] != '/' || strlen(path) >= sizeof(directory) || (no && no[0] == '1'))
        return false;
    memcpy(directory, path, strlen(path) + 1);
    fd = life_open_directory();
    if (fd < 0)
        return false;
    run_user = (uid_t)syscall(SYS_geteuid);
    bell = bell_open(fd, &why);
    quiet_close(fd);
    return bell != NULL;
}

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

static bool set_up(void)
{
    next_hold_early();
    sample_prepare();
    stack_setup();
    site_setup();
    thread_setup();
    modules_init();
    stack_native_init();
    stack_python_init();
    return filter_setup() && maps_setup() && next.usable &&
           pthread_atfork(before_fork, NULL, after_fork_in_child) == 0;
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
    if (find_run() && is_free() && has_space() && own_process() && set_up())
        rate_begin(bell->rate, bell->rate != 0);
    else
        __atomic_store_n(&off, true, __ATOMIC_RELAXED);
    __atomic_store_n(&begun, BEGUN, __ATOMIC_RELEASE);
    errno = saved;
}

/* ---- the ledger ---- */

static void introduce(void)
{
    ledger.head->inherited = thread_inherited_bytes() > 0;
    ledger.head->forked_bytes = thread_inherited_bytes();
    ledger.head->forked_blocks = thread_inherited_blocks();
    modules_use(&ledger);
    if (cloned_unseen)
        ledger_lose(&ledger, LOST_fork_unseen, 1);
    ledger_state(&ledger, STATE_RUNNING);
    __atomic_store_n(&ready, &ledger, __ATOMIC_SEQ_CST); /* acquired by life_ledger_now */
    adapter_introduce(&ledger);
}

static bool is_root(void)
{
    return bell->doctor == (uint32_t)getppid();
}

static void make_ledger(void)
{
    const uint32_t size =
        is_root() ? LEDGERS_FULL : __atomic_load_n(&bell->ledgers, __ATOMIC_RELAXED);
    const struct birth birth = {.directory = directory,
                                .bell = bell,
                                .allocator = next.path,
                                .rate = rate_now(),
                                .small = size == LEDGERS_SMALL};
    struct why why;

    if (!birth_is_due(&birth))
        return;
    if (size < LEDGERS_NONE && birth_make(&birth, &ledger, &mail, &why) == 0) {
        introduce();
        return;
    }
    (void)__atomic_add_fetch(size < LEDGERS_NONE ? &bell->refused : &bell->over_budget, 1,
                             __ATOMIC_RELAXED);
    life_off("no ledger");
}

struct ledger *life_ledger(void)
{
    struct ledger *now = life_ledger_now();
    const int saved = errno;

    if (now || life_is_off() || __atomic_load_n(&ended, __ATOMIC_RELAXED))
        return now;
    if (__atomic_test_and_set(&making, __ATOMIC_ACQUIRE))
        return NULL; /* another thread is at it; this event is only counted */
    if (!life_ledger_now() && life_process() == LIFE_OURS)
        make_ledger();
    __atomic_clear(&making, __ATOMIC_RELEASE);
    errno = saved;
    return life_ledger_now();
}

/* ---- fork ---- */

void life_new_process(struct thread *self, bool raw)
{
    const int saved = errno;

    if (life_is_off()) { /* not one system call: they may be forbidden by now */
        if (self)
            self->alive = THREAD_ALIVE;
        return;
    }
    if (__atomic_exchange_n(&ready, NULL, __ATOMIC_ACQ_REL))
        pieces_close(&ledger);
    if (mail)
        (void)syscall(SYS_munmap, mail, MAILBOX_SIZE);
    mail = NULL;
    memset(&ledger, 0, sizeof(ledger) - sizeof(ledger.path));
    *owner = number();
    making = 0;
    ended = false;
    cloned_unseen = raw;
    next_hold_early();
    pool_reset();
    birth_reset();
    launch_reset();
    stack_fold_reset();
    frameworks_reset();
    maps_reset();
    site_reset();
    sample_reset();
    requests_reset();
    marks_reset();
    adapter_reset();
    lines_reset();
    gauges_reset();
    modules_use(NULL);
    stack_native_forked();
    stack_python_forked();
    rate_begin(bell->rate, bell->rate != 0);
    thread_after_fork(self, step_last_sums(), raw);
    step_reset();
    errno = saved;
}

/* ---- the end ---- */

static void serve(void)
{
    struct ledger *now = life_ledger_now();

    if (now)
        requests_serve(now);
}

bool life_may_end(void)
{
    return !life_is_off() && !__atomic_load_n(&ended, __ATOMIC_ACQUIRE) &&
           life_process() == LIFE_OURS;
}

void life_end(bool round)
{
    const int saved = errno;
    struct thread *thread = thread_self;
    struct ledger *now = life_ledger_now();

    if (!life_may_end() || __atomic_exchange_n(&ended, true, __ATOMIC_ACQ_REL))
        return;
    if (!now) {
        (void)__atomic_add_fetch(&bell->small, 1, __ATOMIC_RELAXED);
        return;
    }
    if (thread)
        thread->busy++;
    step_finish(now);
    adapter_missed(now, 0, 0);
    if (round && mail) {
        ledger_state(now, STATE_LAST_ROUND);
        mailbox_last_round(mail, bell, serve);
        requests_await(now);
    }
    holders_abandon(UNSEARCHED_end);
    ledger_state(now, STATE_ENDED);
    /* What destructors release now says nothing of the program: the ledger stays as it is. */
    __atomic_store_n(&ready, NULL, __ATOMIC_RELEASE);
    if (thread)
        thread->busy--;
    errno = saved;
}

/* The root process has its ledger from the start; others when they first need one. */
__attribute__((constructor(101))) static void start(void)
{
    struct thread *thread;

    life_begin();
    thread = life_is_off() ? NULL : thread_self ? thread_self : thread_attach();
    if (!thread || !is_root())
        return;
    thread->busy++;
    (void)life_ledger();
    thread->busy--;
}
