/* hazards.c - programs that a copy of theirs might disturb. Each marks a step per millisecond and keeps a
 * block in each, until standard input ends.
 *
 * hazards userfault     handles page faults itself and is to be told of forks, but nobody reads of them
 * hazards direct FILE   a thread reads FILE into heap memory past the page cache, and compares
 * hazards trace WORDS   runs another program as a debugger does, and says which processes it was given
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

#define PART (256 * 1024) /* bytes of one read */
#define PARTS 16

struct block {
    struct block *next;
    char rest[4992];
};

struct block *volatile kept;
static int over; /* atomic */

static void *wait_for_end(void *unused)
{
    char byte;

    while (read(0, &byte, 1) > 0)
        continue;
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    return unused;
}

static void run(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    pthread_t reader;

    pthread_create(&reader, NULL, wait_for_end, NULL);
    say("ready\n");
    for (size_t i = 0; !__atomic_load_n(&over, __ATOMIC_ACQUIRE); i++) {
        struct block *block = malloc(sizeof(*block));

        block->next = kept;
        kept = block;
        tare_step(i);
        nanosleep(&pause, NULL);
    }
}

static void userfault(void)
{
    const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK};
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {.range = {(uintptr_t)page, 4096},
                                    .mode = UFFDIO_REGISTER_MODE_MISSING};

    if (fd < 0 || ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &range) != 0) {
        say("refused\n");
        return;
    }
    run();
    say("over\n");
}

/* Every word of the file is its own place. The buffer's first byte is written before each read: the page
 * is then one that a fork makes a copy of. */
static void *read_again(void *path)
{
    const int fd = open(path, O_RDONLY | O_DIRECT);
    size_t *buffer = aligned_alloc(4096, PART), bad = 0, reads = 0;

    for (; fd >= 0 && !__atomic_load_n(&over, __ATOMIC_ACQUIRE); reads++) {
        const size_t part = reads % PARTS;

        memset(buffer, 0, PART);
        if (pread(fd, buffer, PART, (off_t)(part * PART)) != PART)
            bad++;
        for (size_t i = 0; i < PART / sizeof(*buffer); i++)
            bad += buffer[i] != part * PART / sizeof(*buffer) + i;
    }
    say("%s %zu reads %zu bad\n", fd < 0 ? "refused" : "over", reads, bad);
    return NULL;
}

static void direct(char *path)
{
    pthread_t reader;

    pthread_create(&reader, NULL, read_again, path);
    run();
    pthread_join(reader, NULL);
}

static int is_process(pid_t thread)
{
    char path[64], text[1024];
    const char *line;
    ssize_t length;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/status", thread);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = 0;
    line = strstr(text, "\nTgid:");
    return line && atoi(line + 6) == thread;
}

static int trace(char **words)
{
    const long all = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
    const pid_t child = fork();
    int status;
    pid_t seen;

    if (child == 0) {
        (void)ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        (void)execv(words[0], words);
        _exit(127);
    }
    (void)waitpid(child, &status, 0);
    (void)ptrace(PTRACE_SETOPTIONS, child, 0, all);
    (void)ptrace(PTRACE_CONT, child, 0, 0);
    while ((seen = waitpid(-1, &status, __WALL)) > 0) {
        if (WIFEXITED(status) && seen == child)
            return WEXITSTATUS(status);
        if (!WIFSTOPPED(status))
            continue;
        if (seen != child && WSTOPSIG(status) == SIGSTOP && is_process(seen))
            say("was given a process\n");
        (void)ptrace(PTRACE_CONT, seen, 0,
                     WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == SIGSTOP ? 0
                                                                              : WSTOPSIG(status));
    }
    return 98;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "userfault") == 0)
        userfault();
    else if (count > 2 && strcmp(words[1], "direct") == 0)
        direct(words[2]);
    else if (count > 2 && strcmp(words[1], "trace") == 0)
        return trace(words + 2);
    return 0;
}
