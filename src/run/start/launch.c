/* launch.c - see launch.h. */
#include "run/start/launch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/guests.h"
#include "base/mem.h"
#include "run/output/speech.h"
#include "run/start/probe_path.h"
#include "run/system/proc.h"
#include "run/start/signals.h"
#include "ledger/mailbox.h"

extern char **environ;

/* ---- starting ---- */

/* Is this entry in the list, whose entries end with one of `ends`? */
static bool lists(const char *list, const char *entry, const char *ends)
{
    const size_t length = strlen(entry);
    const char *at = list;

    while ((at = strstr(at, entry)) != NULL) {
        const bool begins = at == list || strchr(ends, at[-1]);

        if (begins && (at[length] == 0 || strchr(ends, at[length])))
            return true;
        at += length;
    }
    return false;
}

/* Our entry comes first in the variable, then those of the user. An empty entry is never added, because in
 * PYTHONPATH it means the current directory. */
static bool prepend(const char *variable, const char *entry, const char *ends, char between)
{
    const char *own = getenv(variable);
    const size_t size = strlen(entry) + (own ? strlen(own) : 0) + 2;
    char *both;
    bool ok;

    if (!own || !*own)
        return setenv(variable, entry, 1) == 0;
    if (lists(own, entry, ends))
        return true;
    both = mem_zalloc(size);
    if (!both)
        return false;
    (void)snprintf(both, size, "%s%c%s", entry, between, own);
    ok = setenv(variable, both, 1) == 0;
    mem_free(both);
    return ok;
}

/* Node loads our script before those of the user's own options. */
static bool require_script(const char *script)
{
    char option[PROBE_PATH_MAX + 16];

    (void)snprintf(option, sizeof(option), GUEST_NODE_OPTION "%s", script);
    return prepend("NODE_OPTIONS", option, " ", ' ');
}

/* The probe gets calls before the user's own preloaded libraries. Python loads our start-up module, which
 * then loads the user's module of the same name. */
static bool bring_guests(const struct launch *launch)
{
    if (!launch->directory)
        return true;
    return setenv("TARE_DIR", launch->directory, 1) == 0 &&
           (!launch->probe || prepend("LD_PRELOAD", launch->probe, ": ", ':')) &&
           (!launch->probe || !launch->python || prepend("PYTHONPATH", launch->python, ":", ':')) &&
           (!launch->probe || !launch->node || require_script(launch->node));
}

/* Starts a text without a "#!" line as a shell does. */
static void execute_by_shell(const struct launch *launch)
{
    size_t count = 0;
    char **words;

    while (launch->command[count])
        count++;
    words = mem_zalloc_array(count + 2, sizeof(*words));
    if (!words)
        return;
    memcpy(words + 1, launch->command, count * sizeof(*words));
    words[0] = launch->command[0];
    words[1] = (char *)(uintptr_t)launch->program->path;
    (void)execve("/bin/sh", words, environ);
    mem_free(words);
}

/* In the child. `failure` is memory shared with the waiting parent: it stays 0 if exec succeeds. */
static void become_program(const struct launch *launch, int *failure)
{
    *failure = bring_guests(launch) ? 0 : ENOMEM;
    if (launch->environment && putenv((char *)(uintptr_t)launch->environment) != 0)
        *failure = ENOMEM;
    if (*failure == 0) {
        signals_restore();
        if (launch->program->by_shell)
            execute_by_shell(launch);
        else
            (void)execve(launch->program->path, launch->command, environ);
        *failure = errno;
    }
    _exit(EXIT_NOT_FOUND);
}

/* A fork in which the parent continues after the child has called exec or ended. Unlike vfork it shares no
 * memory; unlike a pipe it needs no descriptor, and none may be left. */
static pid_t fork_and_wait_for_exec(void)
{
    return (pid_t)syscall(SYS_clone, CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, 0ul);
}

static int exec_failed(const struct launch *launch, int error, struct why *why)
{
    const char *name = launch->command[0];

    (void)waitpid(launch->pid, NULL, 0);
    (void)fail(why, ERR_IO, "%s could not be started: %s", name,
               error == ENOEXEC ? "it is not a program for this machine" : strerror(error));
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

int launch_start(struct launch *launch, struct why *why)
{
    int *failure = mmap(NULL, sizeof(*failure), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int error;

    if (failure == MAP_FAILED) {
        (void)fail(why, ERR_NOMEM, "no memory to start the program with: %s", strerror(errno));
        return EXIT_OURS;
    }
    (void)fflush(NULL);
    launch->started = mailbox_clock();
    launch->pid = fork_and_wait_for_exec();
    if (launch->pid == 0)
        become_program(launch, failure);
    error = launch->pid < 0 ? errno : *failure;
    (void)munmap(failure, sizeof(*failure));
    if (launch->pid < 0) {
        (void)fail(why, ERR_IO, "no process to run the program in: %s", strerror(error));
        return EXIT_OURS;
    }
    return error ? exec_failed(launch, error, why) : 0;
}

/* ---- while it runs ---- */

static bool from_terminal(const struct signal_event *event)
{
    return event->code == SI_KERNEL &&
           (event->number == SIGINT || event->number == SIGQUIT || event->number == SIGTSTP ||
            event->number == SIGHUP);
}

/* Did the program already receive this signal? */
static bool arrived_already(struct launch *launch, const struct signal_event *event)
{
    const bool same_group = getpgid(launch->pid) == getpgrp();
    const bool for_group = witness_saw(&launch->witness, event->number);

    return same_group && (for_group || event->code == SI_KERNEL);
}

static void pass_on(struct launch *launch, const struct signal_event *event)
{
    /* Signals of tare's own timers, limits and sockets are not for the program. */
    if (event->code > 0 && !from_terminal(event))
        return;
    /* A signal that the program sends to its parent is not sent back to it. */
    if (event->code <= 0 && event->sender == launch->pid)
        return;
    if (arrived_already(launch, event))
        return;
    if (event->code == SI_QUEUE)
        (void)sigqueue(launch->pid, event->number, event->value);
    else
        (void)kill(launch->pid, event->number);
}

/* As process 1 we also inherit orphans of other processes; they are only reaped. */
static enum launch_event look_at_children(struct launch *launch)
{
    enum launch_event event = LAUNCH_QUIET;
    struct rusage used;
    int status;
    pid_t pid;

    while ((pid = wait4(-1, &status, WNOHANG | WUNTRACED, &used)) > 0) {
        if (pid == launch->witness.pid)
            launch->witness.pid = 0;
        if (pid != launch->pid)
            continue;
        if (WIFSTOPPED(status)) {
            event = LAUNCH_STOPPED;
        } else {
            launch->status = status;
            launch->worked = proc_used(&used);
            event = LAUNCH_ENDED;
        }
    }
    return event;
}

enum launch_event launch_events(struct launch *launch)
{
    struct signal_event event;

    while (signals_next(&event))
        if (event.number != SIGCHLD)
            pass_on(launch, &event);
    return look_at_children(launch);
}

static bool is_stopped(pid_t pid)
{
    struct proc_stat stat;

    return proc_stat(pid, &stat) && stat.state == 'T';
}

void launch_follow_stop(struct launch *launch)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    /* Process 1 cannot be stopped. If no process could continue us, we do not stop either. */
    if (getpid() == 1 || !signals_stop_here())
        return;
    /* `fg` continues the whole group, perhaps us first; `kill -CONT` on tare continues only us. */
    for (int tries = 0; tries < 20 && is_stopped(launch->pid); tries++)
        (void)nanosleep(&pause, NULL);
    witness_forget(&launch->witness, SIGCONT);
    if (is_stopped(launch->pid))
        (void)kill(launch->pid, SIGCONT);
}

int launch_exit_code(const struct launch *launch)
{
    if (WIFSIGNALED(launch->status))
        return 128 + WTERMSIG(launch->status);
    return WEXITSTATUS(launch->status);
}
