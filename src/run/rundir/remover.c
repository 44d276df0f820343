/* remover.c - see remover.h. */
#include "run/rundir/remover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ledger/layout_scripts.h"
#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct order {
    uint32_t pid, generation;
};

static void carry_out(int directory, const struct order *order)
{
    static const char *const suffixes[] = {LEDGER_SUFFIX, MAILBOX_SUFFIX, SCRIPTS_SUFFIX};
    char name[LEDGER_NAME_MAX];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        ledger_name(name, order->pid, order->generation, suffixes[i]);
        (void)unlinkat(directory, name, 0);
    }
}

/* A reader that waits for the end of our output must not wait for this process. */
static void leave_output(void)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 0; nothing >= 0 && fd <= 2; fd++)
        (void)dup2(nothing, fd);
}

static void serve(int directory, int from) __attribute__((noreturn));
static void serve(int directory, int from)
{
    struct order order;

    leave_output();
    while (read(from, &order, sizeof(order)) == sizeof(order))
        carry_out(directory, &order);
    _exit(0);
}

static void start(struct remover *remover, int directory)
{
    sigset_t all, kept;
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &kept); /* signals must not end this process */
    remover->pid = fork();
    if (remover->pid == 0) {
        (void)close(ends[1]);
        (void)fcntl(ends[0], F_SETFL, 0);
        serve(directory, ends[0]);
    }
    (void)sigprocmask(SIG_SETMASK, &kept, NULL);
    (void)close(ends[0]);
    if (remover->pid > 0) {
        remover->pipe = ends[1];
        return;
    }
    (void)close(ends[1]);
    remover->pid = 0;
}

bool remover_ask(struct remover *remover, int directory, uint32_t pid, uint32_t generation)
{
    const struct order order = {pid, generation};

    if (remover->pid == 0)
        start(remover, directory);
    return remover->pid > 0 && write(remover->pipe, &order, sizeof(order)) == sizeof(order);
}

void remover_end(struct remover *remover)
{
    if (remover->pid == 0)
        return;
    (void)close(remover->pipe);
    while (waitpid(remover->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    *remover = (struct remover){0};
}
