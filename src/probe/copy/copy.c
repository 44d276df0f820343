/* copy.c - see copy.h. Past `become_expendable` everything runs in the copy. */
#include "probe/copy/copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/guests.h"
#include "base/quiet.h"
#include "probe/core/raw.h"
#include "probe/core/restore_x86.h"

#define CPU_SECONDS 5 /* of processor time */
#define STARVED_SHARE 2 /* it ran for less than one part in this many of its time */
#define LOOK_US 5000  /* between two looks at the bounds */
#define SIGNAL_STACK 65536
#define FD_MOST 65536 /* closed one by one where the kernel and /proc list no open ones */
#define KILL_TRIES 1000 /* times a millisecond: a killed process is gone in less */
#define FAULTS_FIELD 10 /* of /proc/PID/stat: minor faults */
#define PARENT_FIELD 4

static struct copy_watch *watch; /* NULL: this is the program */
static char parent_stat[40];     /* path of the program's line of numbers; "": not available */
static uint64_t faults_first;    /* of the program, at the first look */
static uint64_t born;            /* CLOCK_MONOTONIC */
static void *way_back[5];        /* of copy_try, as the compiler wants it */
static bool may_fault;           /* foreign code is at work, and there is a way back */

static _Noreturn void leave(uint32_t reason)
{
    uint32_t none = 0;

    (void)__atomic_compare_exchange_n(&watch->reason, &none, reason, false, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED);
    for (;;)
        (void)syscall(SYS_exit_group, 0);
}

/* ---- memory ---- */

static bool note_refusal(void)
{
    if (watch)
        __atomic_store_n(&watch->reason, UNSEARCHED_memory, __ATOMIC_RELEASE);
    return false;
}

bool copy_take(size_t bytes)
{
    if (!watch)
        return true;
    if (watch->taken + bytes > watch->room || watch->taken + bytes < bytes)
        return note_refusal();
    watch->taken += bytes;
    return true;
}

void *copy_map(size_t bytes)
{
    void *memory = copy_take(bytes) ? raw_map(bytes) : NULL;

    if (!memory)
        (void)note_refusal();
    return memory;
}

bool copy_grow(void *array, size_t bytes, size_t new_bytes)
{
    void **at = array;
    long moved;

    if (!copy_take(new_bytes - bytes))
        return false;
    moved = syscall(SYS_mremap, *at, bytes, new_bytes, MREMAP_MAYMOVE);
    if (moved == -1)
        return note_refusal();
    *at = (void *)moved;
    return true;
}

void copy_release(void *memory, size_t bytes)
{
    if (memory && syscall(SYS_munmap, memory, bytes) == 0 && watch)
        watch->taken -= bytes;
}

bool copy_is_short(void)
{
    return watch && __atomic_load_n(&watch->reason, __ATOMIC_RELAXED) != 0;
}

/* ---- bounds ---- */

/* A number of a process's line. Fields are counted from 1, and the third comes after the name,
 * which may contain any character. UINT64_MAX: not available. */
static uint64_t stat_field(const char *path, unsigned field)
{
    const int fd = quiet_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    char text[512];
    const long length = fd < 0 ? -1 : quiet_read(fd, text, sizeof(text) - 1);
    const char *at;
    uint64_t value = 0;

    if (fd >= 0)
        quiet_close(fd);
    text[length > 0 ? length : 0] = '\0';
    at = strrchr(text, ')');
    for (unsigned i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    if (!at || at[1] < '0' || at[1] > '9')
        return UINT64_MAX;
    while (*++at >= '0' && *at <= '9')
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

static void look_at_faults(void)
{
    const uint64_t now = parent_stat[0] ? stat_field(parent_stat, FAULTS_FIELD) : UINT64_MAX;

    const uint64_t usual = (raw_now() - born) / 1000 * watch->faults_rate / 1000000;

    if (now == UINT64_MAX || now < faults_first + usual)
        return;
    __atomic_store_n(&watch->faults, now - faults_first - usual, __ATOMIC_RELEASE);
    if (now - faults_first - usual > __atomic_load_n(&watch->faults_most, __ATOMIC_ACQUIRE))
        leave(UNSEARCHED_writes);
}

/* A copy that other work keeps from the processor costs the program little, and is given longer. */
static bool is_late(uint64_t lived)
{
    const bool starved = raw_clock(CLOCK_PROCESS_CPUTIME_ID) < lived / STARVED_SHARE;

    return lived > (starved ? COPY_SECONDS_STARVED : COPY_SECONDS) * 1000000000ull;
}

static void look_around(int number)
{
    const int saved = errno;
    const uint64_t left =
        watch->headroom ? __atomic_load_n(watch->headroom, __ATOMIC_RELAXED) : 0;

    (void)number;
    if ((pid_t)syscall(SYS_getppid) != watch->parent)
        leave(UNSEARCHED_end);
    if (is_late(raw_now() - born))
        leave(UNSEARCHED_late);
    if (left && left < watch->headroom_least)
        leave(UNSEARCHED_memory);
    look_at_faults();
    errno = saved;
}

/* The parent's number as /proc knows it, which may be mounted from another namespace. */
static void find_parent(void)
{
    uint64_t parent = stat_field("/proc/self/stat", PARENT_FIELD);
    char digits[24];
    size_t count = 0, at = 6;

    if (parent == UINT64_MAX || parent == 0)
        return;
    memcpy(parent_stat, "/proc/", 6);
    for (; parent; parent /= 10)
        digits[count++] = (char)('0' + parent % 10);
    while (count)
        parent_stat[at++] = digits[--count];
    memcpy(parent_stat + at, "/stat", 6);
    faults_first = stat_field(parent_stat, FAULTS_FIELD);
}

/* ---- foreign code ----
 *
 * The copy may be made in the middle of anything: an object that is being made, or that another thread is
 * changing, is not as its own functions expect it. A fault in them ends the call, not the search.
 */

static void unblock_signals(void)
{
    const uint64_t ours = 1ull << (SIGALRM - 1) | 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);

    (void)syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &ours, NULL, 8);
}

static void fault(int number)
{
    const struct kernel_sigaction die = {.handler = SIG_DFL};

    if (may_fault) {
        may_fault = false;
        __builtin_longjmp(way_back, 1);
    }
    (void)syscall(SYS_rt_sigaction, number, &die, NULL, 8); /* it comes again */
}

bool copy_try(void (*foreign)(void *), void *data)
{
    if (__builtin_setjmp(way_back) != 0) {
        unblock_signals(); /* a handler that is not returned from leaves them blocked */
        return false;
    }
    may_fault = watch != NULL;
    foreign(data);
    may_fault = false;
    return true;
}

bool copy_may_fault(bool may)
{
    const bool before = may_fault;

    may_fault = may;
    return before;
}

/* ---- becoming ---- */

static void write_file(const char *path, const char *text)
{
    const int fd = quiet_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);

    if (fd >= 0) {
        (void)syscall(SYS_write, fd, text, strlen(text));
        quiet_close(fd);
    }
}

/* All signals to default but faults and one, which looks at the bounds: it comes with the timer, and when the
 * thread that has made us or the whole program ends. Not SIGKILL: another thread may have outlived ours. */
static void set_signals(void)
{
    const struct itimerval every = {.it_interval = {.tv_usec = LOOK_US},
                                    .it_value = {.tv_usec = LOOK_US}};
    const stack_t stack = {.ss_sp = raw_map(SIGNAL_STACK), .ss_size = SIGNAL_STACK};
    struct kernel_sigaction action = {.handler = SIG_DFL};

    for (int number = 1; number < 65; number++)
        (void)syscall(SYS_rt_sigaction, number, &action, NULL, 8);
    action = (struct kernel_sigaction){.handler = look_around,
                                       .flags = RESTORER_FLAG | SA_RESTART |
                                                (stack.ss_sp ? SA_ONSTACK : 0ul),
                                       .restorer = restore_from_signal,
                                       .mask = ~0ull};
    if (stack.ss_sp)
        (void)syscall(SYS_sigaltstack, &stack, NULL); /* the one we are on may be a coroutine's */
    (void)syscall(SYS_rt_sigaction, SIGALRM, &action, NULL, 8);
    action.handler = fault;
    (void)syscall(SYS_rt_sigaction, SIGSEGV, &action, NULL, 8);
    (void)syscall(SYS_rt_sigaction, SIGBUS, &action, NULL, 8);
    (void)syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGALRM, 0, 0, 0);
    (void)syscall(SYS_setitimer, ITIMER_REAL, &every, NULL);
    unblock_signals();
}

static unsigned number_of(const char *name)
{
    unsigned value = 0;

    for (; *name >= '0' && *name <= '9'; name++)
        value = value * 10 + (unsigned)(*name - '0');
    return value;
}

struct entry { /* as the kernel writes it */
    uint64_t inode, offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* By the list in /proc; false: there is none. Closing changes the list, so it is read until it is short. */
static bool close_listed(void)
{
    const int list = quiet_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    _Alignas(8) char text[4096];
    long got, closed = 1;

    if (list < 0)
        return false;
    while (closed) {
        closed = 0;
        (void)syscall(SYS_lseek, list, 0L, SEEK_SET);
        while ((got = syscall(SYS_getdents64, list, text, sizeof(text))) > 0)
            for (long at = 0; at < got; at += ((struct entry *)(text + at))->length) {
                const struct entry *one = (const struct entry *)(text + at);
                const unsigned fd = number_of(one->name);

                if (one->name[0] >= '0' && one->name[0] <= '9' && fd != (unsigned)list &&
                    syscall(SYS_close, fd) == 0)
                    closed++;
            }
    }
    quiet_close(list);
    return true;
}

static void close_all(void)
{
    struct rlimit limit = {FD_MOST, FD_MOST};

    if (syscall(SYS_close_range, 0u, ~0u, 0u) == 0 || close_listed())
        return; /* the first: since Linux 5.9 */
    (void)syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit);
    for (unsigned fd = 0; fd < limit.rlim_cur && fd < FD_MOST; fd++)
        (void)syscall(SYS_close, fd);
}

static void become_expendable(void)
{
    const struct rlimit no_core = {1, 1}, cpu = {CPU_SECONDS, CPU_SECONDS};

    born = raw_now();
    set_signals();
    if ((pid_t)syscall(SYS_getppid) != watch->parent)
        leave(UNSEARCHED_end); /* the parent ended before the death signal was set */
    (void)syscall(SYS_prlimit64, 0, RLIMIT_CORE, &no_core, NULL);
    (void)syscall(SYS_prlimit64, 0, RLIMIT_CPU, &cpu, NULL);
    close_all();
    write_file("/proc/self/oom_score_adj", "1000");
}

static _Noreturn void live(struct copy_watch *bounds, void (*work)(void))
{
    watch = bounds;
    /* First, because until then /proc shows us as the program. */
    (void)syscall(SYS_prctl, PR_SET_NAME, GUEST_SEARCH, 0, 0, 0);
    find_parent();
    become_expendable();
    work();
    look_around(0);
    for (;;)
        (void)syscall(SYS_exit_group, 0);
}

/* ---- in the program ---- */

pid_t copy_make(struct copy_watch *bounds, void (*work)(void))
{
    uint64_t all = ~0ull, before;
    long child;

    bounds->taken = bounds->faults = bounds->reason = 0;
    bounds->parent = (pid_t)syscall(SYS_getpid);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
    child = syscall(SYS_clone, (unsigned long)CLONE_UNTRACED, NULL, NULL, NULL, 0ul);
    if (child == 0)
        live(bounds, work);
    (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
    return (pid_t)child;
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_usec * 1000u;
}

long copy_collect(pid_t copy, int *status, uint64_t *worked)
{
    struct rusage used;
    const long ended = syscall(SYS_wait4, copy, status, WNOHANG | __WALL, &used);

    *worked = ended > 0 ? ns_of(&used.ru_utime) + ns_of(&used.ru_stime) : 0;
    return ended;
}

uint64_t copy_kill(pid_t copy)
{
    const int saved = errno;
    uint64_t worked = 0;

    (void)syscall(SYS_kill, copy, SIGKILL);
    for (int i = 0; i < KILL_TRIES; i++) {
        if (copy_collect(copy, NULL, &worked) != 0)
            break; /* collected, or not ours any more */
        quiet_sleep(1000000);
    }
    errno = saved;
    return worked;
}
