/* hooks_exec.c - a program that cannot carry the probe is started without it.
 *
 * The probe checks every call that starts a program. The call is passed on unchanged if the new
 * program would not get the probe anyway, or can carry it. A program that cannot carry the probe
 * gets a copy of the environment without our words (exec_env_pure.h), and the run's bell gets its
 * name and the reason.
 *
 * These hooks run between fork and exec, in vfork children, which borrow their parent's memory and
 * stack, in threads of programs that have forked, and in signal handlers. So: no heap, no locks, no
 * thread-local state but errno, which is put back before the real call, and little stack.
 *
 * Where the new environment lies:
 *  - on the stack, if it takes no more than ON_STACK bytes;
 *  - else in a mapping of its own, which is unmapped if the call returns. After a successful exec
 * it is gone with the old memory;
 *  - but a vfork child's mapping would stay in its parent for ever. Such a child uses `spare`,
 * which is mapped once. The probe cannot see the child's exec succeed, but the kernel does: it
 * clears the word that set_tid_address names when a task leaves memory that others still use. That
 * word is `spare_user`. A vfork child has no such word of its own (PR_GET_TID_ADDRESS gives 0),
 * while threads and forked children have; they do not need `spare`, and theirs is not touched.
 *
 * In a program that has limited its own system calls, not one is made to look at the file: the new
 * program is started without us, which it could not carry either.
 *
 * Not seen: system calls made without libc, by the programs themselves or by static ones, and what
 * libc starts inside itself, which is only /bin/sh (system, popen, wordexp).
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/core/export.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/core/symbol.h"
#include "probe/entry/exec_env_pure.h"
#include "probe/entry/exec_file.h"
#include "probe/entry/life.h"
#include "probe/entry/run_dir.h"
#include "probe/serve/holders.h"

#define ON_STACK   1024
#define SPARE_SIZE (256 * 1024)

/* A start as the program requested it. `go` carries it out with another environment. */
struct start {
    int (*go)(const struct start *start, char *const *environment);
    struct exec_target target;
    char *const *words;
    int flags;  /* execveat */
    pid_t *pid; /* posix_spawn, and the two below */
    const posix_spawn_file_actions_t *actions;
    const posix_spawnattr_t *attributes;
};

typedef int exec_fn(const char *file, char *const *words, char *const *environment);
typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
                     const posix_spawnattr_t *, char *const *, char *const *);

/* libc's own, or those of the next library that wants to see them. */
static struct {
    int (*execv)(const char *, char *const *);
    int (*execve)(const char *, char *const *, char *const *);
    int (*execvp)(const char *, char *const *);
    int (*execvpe)(const char *, char *const *, char *const *);
    int (*fexecve)(int, char *const *, char *const *);
    int (*execveat)(int, const char *, char *const *, char *const *, int);
    spawn_fn *spawn, *spawnp;
} real;

static struct exec_guests guests;
static bool prepared; /* atomic: `real` and `guests` are filled */
static char *spare;   /* atomic */
static uint32_t
    spare_user; /* atomic: pid of the vfork child that uses `spare`; the kernel clears it */

/* By our constructor: dlsym and dladdr take the loader's lock, which a vfork child may not wait
 * for. */
static void prepare(void)
{
    Dl_info here;

    (void)symbol_find(RTLD_NEXT, "execv", &real.execv);
    (void)symbol_find(RTLD_NEXT, "execve", &real.execve);
    (void)symbol_find(RTLD_NEXT, "execvp", &real.execvp);
    (void)symbol_find(RTLD_NEXT, "execvpe", &real.execvpe);
    (void)symbol_find(RTLD_NEXT, "fexecve", &real.fexecve);
    (void)symbol_find(RTLD_NEXT, "execveat", &real.execveat); /* since glibc 2.34 */
    (void)symbol_find(RTLD_NEXT, "posix_spawn", &real.spawn);
    (void)symbol_find(RTLD_NEXT, "posix_spawnp", &real.spawnp);
    if (!dladdr(&guests, &here) || !here.dli_fname || !exec_guests_set(&guests, here.dli_fname))
        guests = (struct exec_guests){.probe = ""};
    __atomic_store_n(&prepared, true, __ATOMIC_RELEASE);
}

/* A call may come before our constructor has run. */
static void find_real(void)
{
    if (!__atomic_load_n(&prepared, __ATOMIC_ACQUIRE))
        prepare();
}

__attribute__((constructor(102))) static void prepare_at_start(void)
{
    find_real();
}

/* ---- with another environment ---- */

/* A vfork child may have `spare`. NULL: this is none, or it is in use. */
static char *take_spare(size_t size)
{
    uint32_t nobody = 0, pid = (uint32_t)syscall(SYS_getpid);
    unsigned long own = 1;
    char *room;

    if (size > SPARE_SIZE || syscall(SYS_prctl, PR_GET_TID_ADDRESS, &own, 0, 0, 0) != 0 ||
        own != 0 ||
        !__atomic_compare_exchange_n(&spare_user, &nobody, pid, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        return NULL;
    room = __atomic_load_n(&spare, __ATOMIC_ACQUIRE);
    if (!room) {
        room = raw_map(SPARE_SIZE);
        __atomic_store_n(&spare, room, __ATOMIC_RELEASE);
    }
    if (room)
        (void)syscall(SYS_set_tid_address, &spare_user);
    else
        __atomic_store_n(&spare_user, 0, __ATOMIC_RELEASE);
    return room;
}

static void give_spare_back(void)
{
    (void)syscall(SYS_set_tid_address, NULL);
    __atomic_store_n(&spare_user, 0, __ATOMIC_RELEASE);
}

static int go_in(void *room, const struct start *start, char *const *environment, int saved)
{
    char *const *without = exec_env_build(room, environment, &guests);

    errno = saved;
    return start->go(start, without);
}

__attribute__((noinline)) static int go_on_stack(const struct start *start,
                                                 char *const *environment, int saved)
{
    char *room[ON_STACK / sizeof(char *)];

    return go_in(room, start, environment, saved);
}

__attribute__((noinline)) static int go_without_us(const struct start *start,
                                                   char *const *environment, int saved)
{
    const size_t size = exec_env_size(environment, &guests);
    char *borrowed, *room;
    int result, error;

    if (size <= ON_STACK)
        return go_on_stack(start, environment, saved);
    borrowed = life_is_filtered() ? NULL : take_spare(size);
    room = borrowed ? borrowed : raw_map(size);
    if (!room) {
        errno = saved;
        return start->go(start, environment);
    }
    result = go_in(room, start, environment, saved);
    error = errno;
    if (borrowed)
        give_spare_back();
    else
        (void)syscall(SYS_munmap, room, size);
    errno = error;
    return result;
}

/* ---- every start ---- */

__attribute__((noinline)) static enum carry judge(const struct start *start,
                                                  char *const *environment)
{
    const enum carry carry = exec_file_judge(&start->target);

    return carry == CARRY_YES && exec_env_has_sanitizer(environment) ? CARRY_sanitizer_preload
                                                                     : carry;
}

/* What the report calls it: of a file given by its descriptor only the first word is known. */
static const char *name_of(const struct start *start)
{
    if (start->target.path && *start->target.path)
        return start->target.path;
    return start->words && start->words[0] ? start->words[0] : "";
}

/* A program started by a process that has changed its user or its root directory cannot open the run's
 * directory, and may not even find the probe. */
static enum carry away(void)
{
    switch (run_dir_reach()) {
    case RUN_DIR_OTHER_USER:
        return CARRY_other_user;
    case RUN_DIR_OTHER_ROOT:
        return CARRY_other_root;
    case RUN_DIR_REACHED:
        break;
    }
    return CARRY_YES;
}

/* Why this start is to be without us, and where it is counted, if at all. */
static enum carry decide(const struct start *start, char *const *environment, uint32_t **counter)
{
    struct bell *bell = state_bell();
    enum carry carry;

    if (!__atomic_load_n(&prepared, __ATOMIC_ACQUIRE) || !guests.probe[0] ||
        (!start->target.path && !start->target.is_file) ||
        !exec_env_has_probe(environment, &guests))
        return CARRY_YES;
    if (life_is_filtered()) {
        *counter = bell ? &bell->confined : NULL;
        if (*counter)
            (void)__atomic_add_fetch(*counter, 1, __ATOMIC_RELAXED);
        return CARRY_confined;
    }
    carry = judge(start, environment);
    if (carry == CARRY_YES)
        carry = away();
    if (carry != CARRY_YES && bell)
        *counter = bell_count_unwatched(bell, carry, name_of(start));
    return carry;
}

static int go_spawn(const struct start *start, char *const *environment);

/* A copy that searches for holders would outlive the program that it was made of. */
static int begin(const struct start *start, char *const *environment)
{
    const int saved = errno;
    uint32_t *counter = NULL;
    enum carry carry;
    int result, error;

    find_real();
    carry = decide(start, environment, &counter);
    if (start->go != go_spawn)
        holders_abandon(UNSEARCHED_end);
    if (carry_keeps(carry)) {
        errno = saved;
        result = start->go(start, environment);
    } else {
        result = go_without_us(start, environment, saved);
    }
    error = errno;
    if (result != 0 && counter)
        (void)__atomic_sub_fetch(counter, 1, __ATOMIC_RELAXED);
    errno = error;
    return result;
}

/* ---- exec ---- */

static int absent(void)
{
    errno = ENOSYS;
    return -1;
}

static int go_execve(const struct start *start, char *const *environment)
{
    const char *path = start->target.path;

    if (environment == environ && real.execv)
        return real.execv(path, start->words);
    return real.execve ? real.execve(path, start->words, environment)
                       : (int)syscall(SYS_execve, path, start->words, environment);
}

static int go_execvpe(const struct start *start, char *const *environment)
{
    const char *name = start->target.path;

    if (environment == environ && real.execvp)
        return real.execvp(name, start->words);
    return real.execvpe ? real.execvpe(name, start->words, environment) : absent();
}

static int go_fexecve(const struct start *start, char *const *environment)
{
    return real.fexecve ? real.fexecve(start->target.directory, start->words, environment)
                        : absent();
}

static int go_execveat(const struct start *start, char *const *environment)
{
    const struct exec_target *target = &start->target;

    if (real.execveat)
        return real.execveat(target->directory, target->path, start->words, environment,
                             start->flags);
    return (int)syscall(SYS_execveat, target->directory, target->path, start->words, environment,
                        start->flags);
}

static int by_path(const char *path, char *const *words, char *const *environment)
{
    const struct start start = {
        .go = go_execve, .target = {.directory = AT_FDCWD, .path = path}, .words = words};

    return begin(&start, environment);
}

static int by_name(const char *name, char *const *words, char *const *environment)
{
    const struct start start = {.go = go_execvpe,
                                .target = {.directory = AT_FDCWD, .path = name, .search = true},
                                .words = words};

    return begin(&start, environment);
}

EXPORT int execve(const char *path, char *const words[], char *const environment[])
{
    return by_path(path, words, environment);
}

EXPORT int execv(const char *path, char *const words[])
{
    return by_path(path, words, environ);
}

EXPORT int execvp(const char *name, char *const words[])
{
    return by_name(name, words, environ);
}

EXPORT int execvpe(const char *name, char *const words[], char *const environment[])
{
    return by_name(name, words, environment);
}

EXPORT int fexecve(int fd, char *const words[], char *const environment[])
{
    const struct start start = {
        .go = go_fexecve, .target = {.directory = fd, .is_file = true}, .words = words};

    return begin(&start, environment);
}

EXPORT int execveat(int directory, const char *path, char *const words[], char *const environment[],
                    int flags)
{
    const struct start start = {
        .go = go_execveat,
        .target = {.directory = directory, .path = path, .is_file = (flags & AT_EMPTY_PATH) != 0},
        .words = words,
        .flags = flags};

    return begin(&start, environment);
}

/* ---- exec with its words one by one: they go into an array on the stack, as in libc ---- */

/* The words: `first`, and those of the list up to NULL. The environment comes next, if `has_environment`. */
static int by_words(exec_fn *by, const char *file, const char *first, bool has_environment, va_list list)
{
    size_t count = 1;
    va_list counted;

    va_copy(counted, list);
    for (const char *word = first; word; word = va_arg(counted, const char *))
        count++;
    va_end(counted);
    {
        char *words[count];

        words[0] = (char *)(uintptr_t)first;
        for (size_t i = 1; i < count; i++)
            words[i] = va_arg(list, char *);
        return by(file, words, has_environment ? va_arg(list, char *const *) : environ);
    }
}

/* The body of a function whose last named parameter is `first`. */
#define PASS_WORDS(by, file, first, has_environment)                                               \
    va_list list;                                                                                  \
    int result;                                                                                    \
                                                                                                   \
    va_start(list, first);                                                                         \
    result = by_words(by, file, first, has_environment, list);                                     \
    va_end(list);                                                                                  \
    return result

EXPORT int execl(const char *path, const char *first, ...)
{
    PASS_WORDS(by_path, path, first, false);
}

EXPORT int execlp(const char *name, const char *first, ...)
{
    PASS_WORDS(by_name, name, first, false);
}

EXPORT int execle(const char *path, const char *first, ...)
{
    PASS_WORDS(by_path, path, first, true);
}

/* ---- posix_spawn: the parent looks; it is given a number of errno ---- */

static int go_spawn(const struct start *start, char *const *environment)
{
    spawn_fn *const spawn = start->target.search ? real.spawnp : real.spawn;

    return spawn ? spawn(start->pid, start->target.path, start->actions, start->attributes,
                         start->words, environment)
                 : ENOSYS;
}

EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const words[],
                       char *const environment[])
{
    const struct start start = {go_spawn, {.directory = AT_FDCWD, .path = path}, words,
                                .pid = pid, .actions = actions, .attributes = attributes};

    return begin(&start, environment);
}

EXPORT int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const words[],
                        char *const environment[])
{
    const struct start start = {go_spawn, {.directory = AT_FDCWD, .path = name, .search = true}, words,
                                .pid = pid, .actions = actions, .attributes = attributes};

    return begin(&start, environment);
}
