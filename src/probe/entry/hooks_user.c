/* hooks_user.c - the program is about to become another user, or to leave for another root directory.
 *
 * A run's directory is its user's alone. A forked worker that drops its privileges before it needs a ledger
 * could not make one any more: it gets it now. What it needs of the file later is taken through what is
 * mapped (ledger_detach). Groups do not matter: the directory is opened as its owner.
 *
 * These functions may be called in signal handlers, and between vfork and exec: a child that borrows our
 * memory gets no ledger, and none of its parent's state is changed.
 *
 * Not seen: system calls made without libc.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/core/call.h"
#include "probe/core/export.h"
#include "probe/core/spare_stack.h"
#include "probe/core/state.h"
#include "probe/core/symbol.h"
#include "probe/core/thread.h"
#include "probe/entry/life.h"
#include "probe/entry/run_dir.h"

#define UNCHANGED ((uid_t)-1)

/* libc's own, which change all threads. */
static struct {
    int (*setuid)(uid_t);
    int (*seteuid)(uid_t);
    int (*setreuid)(uid_t, uid_t);
    int (*setresuid)(uid_t, uid_t, uid_t);
    int (*chroot)(const char *);
} real;

static bool prepared; /* atomic: `real` is filled */

/* By our constructor: dlsym takes the loader's lock, which a forked child may not wait for. */
__attribute__((constructor(102))) static void prepare(void)
{
    if (__atomic_load_n(&prepared, __ATOMIC_ACQUIRE))
        return;
    (void)symbol_find(RTLD_NEXT, "setuid", &real.setuid);
    (void)symbol_find(RTLD_NEXT, "seteuid", &real.seteuid);
    (void)symbol_find(RTLD_NEXT, "setreuid", &real.setreuid);
    (void)symbol_find(RTLD_NEXT, "setresuid", &real.setresuid);
    (void)symbol_find(RTLD_NEXT, "chroot", &real.chroot);
    __atomic_store_n(&prepared, true, __ATOMIC_RELEASE);
}

/* A call that comes before our constructor has run. */
static void find_real(void)
{
    const int saved = errno;

    prepare();
    errno = saved;
}

static int absent(void)
{
    errno = ENOSYS;
    return -1;
}

/* ---- before and after ---- */

static void make_ready(void *unused)
{
    struct ledger *ledger = state_ledger();

    (void)unused;
    if (ledger)
        ledger_detach(ledger, false);
}

static void has_moved(void *unused)
{
    (void)unused;
    run_dir_moved();
}

/* Carries out `work` in a process that is ours, with the thread marked busy. */
static void as_guest(spare_work *work)
{
    const int saved = errno;
    struct thread *thread;

    if (state_is_off() || life_process() == LIFE_BORROWED)
        return;
    thread = call_enter();
    if (thread) {
        (void)spare_stack_call(work, NULL);
        thread->busy = 0;
    }
    errno = saved;
}

/* Only the effective user opens files. Where the probe is off not one system call is made: they may be
 * forbidden by now. */
static void becomes(uid_t effective)
{
    find_real();
    if (!state_is_off() && effective != UNCHANGED &&
        effective != (uid_t)syscall(SYS_geteuid))
        as_guest(make_ready);
}

/* ---- the calls ---- */

EXPORT int setuid(uid_t user)
{
    becomes(user);
    return real.setuid ? real.setuid(user) : absent();
}

EXPORT int seteuid(uid_t user)
{
    becomes(user);
    return real.seteuid ? real.seteuid(user) : absent();
}

EXPORT int setreuid(uid_t user, uid_t effective)
{
    becomes(effective);
    return real.setreuid ? real.setreuid(user, effective) : absent();
}

EXPORT int setresuid(uid_t user, uid_t effective, uid_t saved)
{
    becomes(effective);
    return real.setresuid ? real.setresuid(user, effective, saved) : absent();
}

EXPORT int chroot(const char *path)
{
    int result;

    find_real();
    as_guest(make_ready);
    result = real.chroot ? real.chroot(path) : absent();
    if (result == 0)
        as_guest(has_moved);
    return result;
}
