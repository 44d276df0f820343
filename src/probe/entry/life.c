/* life.c - see life.h. */
#include "probe/entry/life.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/confinement.h"
#include "base/owned.h"
#include "base/quiet.h"
#include "base/secret.h"
#include "ledger/pieces.h"
#include "probe/core/next.h"
#include "probe/core/own.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/core/thread_sums.h"
#include "probe/record/rate.h"
#include "probe/record/step.h"
#include "probe/serve/greeting.h"
#include "probe/serve/holders.h"
#include "probe/serve/requests.h"
#include "probe/unwind/modules.h"

#define AT_ONCE 16 /* programs of one process whose ledgers are made as soon as they are due */
#define BRIEF_NS 100000000ull /* how long the next 16 must have run; then twice as long, and so on */
#define DOUBLED_MAX     20 /* more than a day */
#define GENERATIONS_MAX 100000
#define TRIES           16 /* names that another process has: one of a pid namespace of its own */
#define TEXT_BYTES      2048

enum begun { NOT_BEGUN = 0, BEGINNING = 1, BEGUN = 2 };

static uint32_t begun;               /* atomic: enum begun */
static bool filtered;                /* atomic: off because system calls are forbidden */
static uint8_t making;               /* atomic: one thread makes the ledger */
static bool ended;                   /* atomic: life_end has run in this process */
static bool cloned_unseen;           /* a raw clone: to be counted once there is a ledger */
static struct ledger ledger;
static struct bell *bell;
static uid_t run_user; /* who the run's directory belongs to */
static bool moved;     /* atomic: this process has another root directory than when it began */
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

enum life_reach life_reach(void)
{
    const bool other = bell && (uid_t)syscall(SYS_geteuid) != run_user;
    int fd;

    if (!bell || (!other && !__atomic_load_n(&moved, __ATOMIC_RELAXED)))
        return LIFE_REACHED;
    fd = state_open_directory();
    if (fd >= 0)
        quiet_close(fd);
    return fd >= 0 ? LIFE_REACHED : other ? LIFE_OTHER_USER : LIFE_OTHER_ROOT;
}

void life_moved(void)
{
    struct ledger *now = state_ledger_now();

    __atomic_store_n(&moved, true, __ATOMIC_RELAXED);
    if (now)
        ledger_detach(now, true);
}

/* Opens the run's directory and doorbell. False: this process is not part of a run, or they are
 * gone, or they belong to another user, who could end this program through them. */
static bool find_run(void)
{
    const char *path = variable("TARE_DIR"), *no = variable("TARE_OFF");
    struct why why;
    int fd;

    if (!path || (no && no[0] == '1') || !state_use_directory(path))
        return false;
    fd = state_open_directory();
    if (fd < 0)
        return false;
    run_user = (uid_t)syscall(SYS_geteuid);
    bell = bell_open(fd, &why);
    state_use_bell(bell);
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

static void nothing(void)
{
}

/* The parts in their order: see parts.def. */
#define NONE nothing
#define PART(name, setup, forked)                                                                  \
    void setup(void);                                                                              \
    void forked(void);
#define NEEDED(name, setup, forked)                                                                \
    bool setup(void);                                                                              \
    void forked(void);
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED

static bool set_up(void)
{
#define PART(name, setup, forked) setup();
#define NEEDED(name, setup, forked)                                                                \
    if (!setup())                                                                                  \
        return false;
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED
    return next.usable && pthread_atfork(before_fork, NULL, after_fork_in_child) == 0;
}

static void parts_forked(void)
{
#define PART(name, setup, forked) forked();
#define NEEDED(name, setup, forked) forked();
#include "probe/entry/parts.def"
#undef PART
#undef NEEDED
}

static struct ledger *make_if_due(void);

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
    if (find_run() && is_free() && has_space() && own_process() && set_up())
        begin();
    __atomic_store_n(&begun, BEGUN, __ATOMIC_RELEASE);
    errno = saved;
}

/* ---- the ledger ----
 *
 * A process may become another program, by exec, any number of times, and each has a ledger of its own.
 * That is bounded: the first 16 have it when they need it, the next 16 once they have run for a tenth
 * of a second, the next 16 after twice that time, and so on. Their number grows with the logarithm
 * of the time. What ended before its ledger was due is counted in the bell.
 */

struct birth {
    const char *directory; /* absolute */
    struct bell *bell;
    const char *allocator;
    uint64_t rate;
    bool small; /* the disk has room only for a small ledger */
};

/* Written by the one thread that makes the ledger. */
static uint32_t generation; /* what the ledger is to be called */
static uint64_t due;        /* when it may be made; 0: not asked yet, 1: at once */

static void program_path(char *text)
{
    const ssize_t length = readlink("/proc/self/exe", text, TEXT_BYTES - 1);

    text[length > 0 ? length : 0] = '\0';
}

/* The words of the command line, separated by one blank, without the secrets among them. */
static void command_line(char *text)
{
    const int fd = quiet_open(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
    long length = fd < 0 ? 0 : quiet_read(fd, text, TEXT_BYTES - 1);

    if (fd >= 0)
        quiet_close(fd);
    (void)secret_command(text, length > 0 ? (size_t)length : 0);
}

static int make_file(const struct birth *from, struct ledger *out, struct why *why)
{
    char name[LEDGER_NAME_MAX], program[TEXT_BYTES], command[TEXT_BYTES];
    const struct ledger_identity identity = {.role = ROLE_PROCESS,
                                             .pid = (uint32_t)getpid(),
                                             .parent_pid = (uint32_t)getppid(),
                                             .generation = generation,
                                             .run = from->bell->run,
                                             .rate = from->rate,
                                             .small = from->small,
                                             .program = program,
                                             .command = command,
                                             .allocator = from->allocator};

    program_path(program);
    command_line(command);
    ledger_name(name, identity.pid, generation, LEDGER_SUFFIX);
    return ledger_create(out, from->directory, name, &identity, why);
}

static struct mailbox *make_mail(struct why *why)
{
    const int directory = state_open_directory();
    char name[LEDGER_NAME_MAX];
    struct mailbox *mail = NULL;

    ledger_name(name, (uint32_t)getpid(), generation, MAILBOX_SUFFIX);
    if (directory >= 0) {
        mail = mailbox_create(directory, name, (uint32_t)getpid(), why);
        quiet_close(directory);
    }
    return mail;
}

/* ---- the programs that this process was before ---- */

static bool exists(int directory, uint32_t number)
{
    char name[LEDGER_NAME_MAX];
    struct stat info;

    ledger_name(name, (uint32_t)getpid(), number, LEDGER_SUFFIX);
    return syscall(SYS_newfstatat, directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The first that is free. They are taken in order, so that few have to be tried. */
static uint32_t first_free(void)
{
    const int directory = state_open_directory();
    uint32_t taken = 0, open = 0; /* below `taken` all are, `open` is free */

    if (directory < 0)
        return 0;
    while (open < GENERATIONS_MAX && exists(directory, open)) {
        taken = open + 1;
        open = taken * 2;
    }
    while (taken < open) {
        const uint32_t middle = taken + (open - taken) / 2;

        if (exists(directory, middle))
            taken = middle + 1;
        else
            open = middle;
    }
    quiet_close(directory);
    return taken;
}

/* How long a program must have run, after so many others in this process. */
static uint64_t patience(uint32_t before)
{
    const uint32_t doubled = before / AT_ONCE - 1;

    return BRIEF_NS << (doubled < DOUBLED_MAX ? doubled : DOUBLED_MAX);
}

/* Is it time to make them? False: this is one of many programs in this process, and has just begun. */
static bool is_due(const struct birth *from)
{
    if (!due) {
        generation = first_free();
        due = generation < AT_ONCE ? 1 : raw_now() + patience(generation);
        if (due != 1)
            (void)__atomic_add_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    }
    return due == 1 || raw_now() >= due;
}

/* Makes PID.GENERATION.tare and .mail, with the first generation that is free. */
static int make_files(const struct birth *from, struct ledger *out, struct mailbox **mail,
                      struct why *why)
{
    const uint32_t last = generation + TRIES;
    int err = ERR_IO;

    for (; generation < last; generation++) {
        errno = 0;
        err = make_file(from, out, why);
        if (!err || errno != EEXIST)
            break;
    }
    if (err)
        return err;
    *mail = make_mail(why); /* without a mailbox the doctor can make no requests; all else works */
    if (due != 1)
        (void)__atomic_sub_fetch(&from->bell->unrecorded, 1, __ATOMIC_RELAXED);
    return 0;
}


static void introduce(void)
{
    ledger.head->inherited = thread_inherited_bytes() > 0;
    ledger.head->forked_bytes = thread_inherited_bytes();
    modules_use(&ledger);
    if (cloned_unseen)
        ledger_lose(&ledger, LOST_fork_unseen, 1);
    ledger_state(&ledger, STATE_RUNNING);
    (void)state_publish(&ledger);
    greeting_note(&ledger);
}

static bool is_root(void)
{
    return bell->doctor == (uint32_t)getppid();
}

static void make_ledger(void)
{
    struct mailbox *mail = NULL;
    const uint32_t size =
        is_root() ? LEDGERS_FULL : __atomic_load_n(&bell->ledgers, __ATOMIC_RELAXED);
    const struct birth birth = {.directory = state_directory(),
                                .bell = bell,
                                .allocator = next.path,
                                .rate = rate_now(),
                                .small = size == LEDGERS_SMALL};
    struct why why;

    if (!is_due(&birth))
        return;
    if (size < LEDGERS_NONE && make_files(&birth, &ledger, &mail, &why) == 0) {
        state_use_mailbox(mail);
        introduce();
        return;
    }
    (void)__atomic_add_fetch(size < LEDGERS_NONE ? &bell->refused : &bell->over_budget, 1,
                             __ATOMIC_RELAXED);
    life_off("no ledger");
}

static struct ledger *make_if_due(void)
{
    const int saved = errno;

    if (__atomic_load_n(&ended, __ATOMIC_RELAXED))
        return NULL;
    if (__atomic_test_and_set(&making, __ATOMIC_ACQUIRE))
        return NULL; /* another thread is at it; this event is only counted */
    if (!state_ledger_now() && life_process() == LIFE_OURS)
        make_ledger();
    __atomic_clear(&making, __ATOMIC_RELEASE);
    errno = saved;
    return state_ledger_now();
}

/* ---- fork ---- */

static void new_process(struct thread *self, bool raw)
{
    struct mailbox *mail = state_mailbox();
    const int saved = errno;

    if (state_is_off()) { /* not one system call: they may be forbidden by now */
        if (self)
            self->alive = THREAD_ALIVE;
        return;
    }
    if (state_publish(NULL))
        pieces_close(&ledger);
    if (mail)
        (void)syscall(SYS_munmap, mail, MAILBOX_SIZE);
    state_use_mailbox(NULL);
    memset(&ledger, 0, sizeof(ledger) - sizeof(ledger.path));
    *owner = number();
    making = 0;
    ended = false;
    cloned_unseen = raw;
    due = 0;
    parts_forked();
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
    if (round && state_mailbox()) {
        ledger_state(now, STATE_LAST_ROUND);
        mailbox_last_round(state_mailbox(), bell, serve);
        requests_await(now);
    }
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
    if (!thread || !is_root())
        return;
    thread->busy++;
    (void)state_ledger();
    thread->busy--;
}
