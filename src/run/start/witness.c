/* witness.c - see witness.h. */
#include "run/start/witness.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHARED_SIZE 4096
#define PATIENCE 20 /* times 0.5 ms; the kernel signals all processes of a group within microseconds */

/* The system call without the C library, whose sigwaitinfo hides two signals. */
static int next_signal(const sigset_t *all)
{
    return (int)syscall(SYS_rt_sigtimedwait, all, NULL, NULL, (size_t)8);
}

static void listen(uint32_t *seen, pid_t parent)
{
    sigset_t all;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "tare-witness");
    if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
        for (int fd = 0; fd < 256; fd++) /* a kernel before 5.9 */
            (void)close(fd);
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    while (getppid() == parent) {
        const int number = next_signal(&all);

        if (number > 0 && number <= 64)
            (void)__atomic_add_fetch(&seen[number], 1, __ATOMIC_RELEASE); /* acquired below */
    }
    _exit(0);
}

void witness_start(struct witness *witness)
{
    const pid_t parent = getpid();
    sigset_t all, kept;
    void *page = mmap(NULL, SHARED_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    *witness = (struct witness){0};
    if (page == MAP_FAILED)
        return;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &kept); /* it must never run with signals unblocked */
    witness->pid = fork();
    if (witness->pid == 0)
        listen(page, parent);
    (void)sigprocmask(SIG_SETMASK, &kept, NULL);
    if (witness->pid < 0) {
        (void)munmap(page, SHARED_SIZE);
        witness->pid = 0;
    } else {
        witness->seen = page;
    }
}

void witness_stop(struct witness *witness)
{
    if (witness->pid > 0) {
        (void)kill(witness->pid, SIGKILL);
        while (waitpid(witness->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (witness->seen)
        (void)munmap(witness->seen, SHARED_SIZE);
    *witness = (struct witness){0};
}

bool witness_saw(struct witness *witness, int number)
{
    const struct timespec pause = {.tv_nsec = 500000};

    if (!witness->seen || number < 1 || number > 64)
        return false;
    for (int tries = 0; tries < PATIENCE; tries++) {
        const uint32_t seen = __atomic_load_n(&witness->seen[number], __ATOMIC_ACQUIRE);

        if (seen != witness->counted[number]) {
            witness->counted[number] = seen;
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

void witness_forget(struct witness *witness, int number)
{
    if (witness->seen)
        witness->counted[number] = __atomic_load_n(&witness->seen[number], __ATOMIC_ACQUIRE);
}
