/* signals.c - see signals.h. */
#include "run/start/signals.h"

#include <time.h>

#define QUEUE_SIZE 128 /* more than there are signals: standard ones do not queue twice */

static struct sigaction before[_NSIG];
static struct sigaction pipe_before; /* what SIGPIPE did before signals_ignore_pipe */
static sigset_t mask_before;
static bool caught[_NSIG];
static struct bell *wake; /* borrowed from the caller of signals_take */

static struct {
    struct signal_event events[QUEUE_SIZE]; /* handlers write here, only inside signals_wait */
    unsigned first, count;
} queue;

static void note(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (queue.count < QUEUE_SIZE)
        queue.events[(queue.first + queue.count++) % QUEUE_SIZE] = (struct signal_event){
            number, info->si_code, info->si_pid, info->si_value};
    (void)__atomic_add_fetch(&wake->word, 1, __ATOMIC_RELEASE);
}

/* Faults must stay fatal. SIGTTIN and SIGTTOU, which stop a background process, stay the kernel's. */
static bool to_catch(int number)
{
    static const int never[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP,
                                SIGSYS,  SIGTTIN, SIGTTOU, 32,     33 /* the C library's own */};

    for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
        if (never[i] == number)
            return false;
    return true;
}

/* All but SIGBUS, which the guard needs if a mapped file was cut short. */
static void fill_mask(sigset_t *mask)
{
    (void)sigfillset(mask);
    (void)sigdelset(mask, SIGBUS);
}

void signals_ignore_pipe(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigaction(SIGPIPE, &ignore, &pipe_before);
}

void signals_take(struct bell *bell)
{
    struct sigaction catch = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
    sigset_t all;

    wake = bell;
    queue.first = queue.count = 0;
    fill_mask(&all);
    fill_mask(&catch.sa_mask);
    (void)sigprocmask(SIG_SETMASK, &all, &mask_before);
    for (int n = 1; n < _NSIG; n++) {
        caught[n] = to_catch(n) && sigaction(n, &catch, &before[n]) == 0;
    }
    before[SIGPIPE] = pipe_before;
}

void signals_restore(void)
{
    for (int n = 1; n < _NSIG; n++)
        if (caught[n])
            (void)sigaction(n, &before[n], NULL);
    (void)sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

bool signals_next(struct signal_event *out)
{
    if (queue.count == 0)
        return false;
    *out = queue.events[queue.first];
    queue.first = (queue.first + 1) % QUEUE_SIZE;
    queue.count--;
    return true;
}

void signals_wait(uint32_t seen, uint64_t timeout_ns)
{
    sigset_t open, all;

    fill_mask(&all);
    (void)sigemptyset(&open);
    (void)sigprocmask(SIG_SETMASK, &open, NULL);
    bell_wait(wake, seen, timeout_ns);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
}

/* The signal that continued us is caught and blocked, so it is still waiting: proof of the stop. */
static bool eat(int number)
{
    const struct timespec at_once = {0};
    sigset_t only;

    (void)sigemptyset(&only);
    (void)sigaddset(&only, number);
    return sigtimedwait(&only, NULL, &at_once) == number;
}

bool signals_stop_here(void)
{
    struct sigaction stop = {.sa_handler = SIG_DFL}, kept;
    sigset_t only;

    (void)sigaction(SIGTSTP, &stop, &kept);
    (void)raise(SIGTSTP);
    (void)sigemptyset(&only);
    (void)sigaddset(&only, SIGTSTP);
    (void)sigprocmask(SIG_UNBLOCK, &only, NULL); /* stopped here, until SIGCONT */
    (void)sigprocmask(SIG_BLOCK, &only, NULL);
    (void)sigaction(SIGTSTP, &kept, NULL);
    return eat(SIGCONT);
}
