/* hooks_wait.c - a program that waits for children of every kind must not find ours.
 *
 * The copy that searches for holders has no exit signal, so that ordinary waits do not see it; with
 * __WALL or __WCLONE they do. From the first such wait on no copy is made, and one that is at work ends
 * before. Waits that are made without the C library are not seen. Async-signal-safe, as these are.
 */
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe/copy/host.h"
#include "probe/core/export.h"
#include "probe/core/symbol.h"
#include "probe/serve/holders.h"

static pid_t (*real_waitpid)(pid_t, int *, int);
static pid_t (*real_wait4)(pid_t, int *, int, struct rusage *);
static int (*real_waitid)(idtype_t, id_t, siginfo_t *, int);

/* Not when they are first called: a handler of SIGCHLD may be the first. */
__attribute__((constructor(102))) static void find_all(void)
{
    (void)symbol_find(RTLD_NEXT, "waitpid", &real_waitpid);
    (void)symbol_find(RTLD_NEXT, "wait4", &real_wait4);
    (void)symbol_find(RTLD_NEXT, "waitid", &real_waitid);
}

static void look(bool any, int options)
{
    if (!any || !((unsigned)options & (__WALL | __WCLONE)))
        return;
    host_waits_for_all();
    holders_abandon(UNSEARCHED_waiter);
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    look(pid <= 0, options);
    return real_waitpid ? real_waitpid(pid, status, options)
                        : (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    look(pid <= 0, options);
    return real_wait4 ? real_wait4(pid, status, options, usage)
                      : (pid_t)syscall(SYS_wait4, pid, status, options, usage);
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    look(type == P_ALL || type == P_PGID, options);
    return real_waitid ? real_waitid(type, id, info, options)
                       : (int)syscall(SYS_waitid, type, id, info, options, NULL);
}
