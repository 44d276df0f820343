/* cages.c - little room and strict rules: small stacks, children in borrowed memory, system-call filters.
 *
 * `cages HOW [SIZE]`. Each way prints the same with and without a probe and has its own status.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <ucontext.h>
#include <unistd.h>

#include "say.h"

#define PAGE 4096u
#define KEPT_MAX 100000

static void *volatile kept[KEPT_MAX];
static int kept_count;

/* Half of the blocks stay. */
static void work(int turns)
{
    for (int i = 0; i < turns; i++) {
        char *block = malloc((size_t)(i % 4000) + 1);

        block[0] = 1;
        block = realloc(block, (size_t)(i % 9000) + 1);
        if (i % 2)
            free(block);
        else if (kept_count < KEPT_MAX)
            kept[kept_count++] = block;
        if (i % 10 == 0)
            tare_step((uint64_t)i);
    }
}

/* A stack with a page below it that cannot be touched. */
static char *guarded(size_t size)
{
    char *memory = mmap(NULL, size + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || mprotect(memory + PAGE, size, PROT_READ | PROT_WRITE) != 0)
        exit(9);
    return memory + PAGE;
}

/* ---- small stacks ---- */

static ucontext_t outside, inside;

static void coroutine_body(void)
{
    work(3000);
    (void)swapcontext(&inside, &outside);
}

static int coroutine(size_t size)
{
    (void)getcontext(&inside);
    inside.uc_stack.ss_sp = guarded(size);
    inside.uc_stack.ss_size = size;
    inside.uc_link = &outside;
    makecontext(&inside, coroutine_body, 0);
    (void)swapcontext(&outside, &inside);
    say("kept %d\n", kept_count);
    return 0;
}

static void coroutine_exit_body(void)
{
    work(100);
    exit(5);
}

static int coroutine_exit(size_t size)
{
    (void)getcontext(&inside);
    inside.uc_stack.ss_sp = guarded(size);
    inside.uc_stack.ss_size = size;
    makecontext(&inside, coroutine_exit_body, 0);
    (void)swapcontext(&outside, &inside);
    return 1;
}

/* Most of the smallest stack that a thread may have is in use when it allocates. */
static void *thread_body(void *unused)
{
    volatile char used[6000];

    memset((void *)(uintptr_t)used, 1, sizeof(used));
    work(3000);
    return unused;
}

static int thread(size_t size)
{
    pthread_attr_t attributes;
    pthread_t one;

    (void)pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, size) != 0 ||
        pthread_create(&one, &attributes, thread_body, NULL) != 0)
        return 9;
    (void)pthread_join(one, NULL);
    say("kept %d\n", kept_count);
    return 0;
}

static void leave_at_once(int number)
{
    say("caught %d\n", number);
    _exit(3);
}

static int alternate(size_t size)
{
    const stack_t stack = {.ss_sp = guarded(size), .ss_size = size};
    struct sigaction action = {.sa_handler = leave_at_once, .sa_flags = SA_ONSTACK};

    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0)
        return 9;
    work(2000);
    *(volatile int *)8 = 1;
    return 1;
}

/* ---- children in borrowed memory ---- */

static char child_stack[65536] __attribute__((aligned(16)));
static char empty_tls[16384] __attribute__((aligned(64)));

static int leave_seven(void *unused)
{
    (void)unused;
    _exit(7);
}

/* What a sandbox does to enter an empty directory: the child's thread-local memory is all zeros. */
static int without_tls(size_t unused)
{
    const int flags = CLONE_FS | CLONE_VM | CLONE_VFORK | CLONE_SETTLS | SIGCHLD;
    pid_t child;
    int status = 0;

    (void)unused;
    work(100);
    child = clone(leave_seven, child_stack + sizeof(child_stack), flags, NULL, NULL,
                  empty_tls + sizeof(empty_tls) / 2, NULL);
    (void)waitpid(child, &status, 0);
    say("child %s %d\n", WIFSIGNALED(status) ? "signal" : "exit",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    work(100);
    return 0;
}

static void leak_by_step(void)
{
    for (int i = 0; i < 800; i++) {
        tare_step((uint64_t)i);
        kept[kept_count] = malloc(30000);
        memset(kept[kept_count++], 1, 30000);
        (void)usleep(300);
    }
}

/* A vfork child that cannot execute its program leaves; then this process leaks. */
static int vfork_exit(size_t unused)
{
    const pid_t child = vfork();

    (void)unused;
    if (child == 0) {
        (void)execl("/nonexistent", "nonexistent", (char *)NULL);
        _exit(127);
    }
    (void)waitpid(child, NULL, 0);
    leak_by_step();
    return 0;
}

/* A vfork child allocates, in our memory, so much that it is sampled. */
static int vfork_malloc(size_t unused)
{
    pid_t child;

    (void)unused;
    child = vfork();
    if (child == 0) {
        kept[kept_count++] = malloc(3u << 20);
        (void)execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    (void)waitpid(child, NULL, 0);
    leak_by_step();
    return 0;
}

/* ---- filters of system calls ---- */

#define ALLOW(name)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What malloc, threads and printing need; every other call kills. */
static struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(read), ALLOW(write), ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap),
    ALLOW(mprotect), ALLOW(madvise), ALLOW(futex), ALLOW(exit), ALLOW(exit_group),
    ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask), ALLOW(rt_sigaction),
    ALLOW(sched_getaffinity), ALLOW(clone3), ALLOW(clone), ALLOW(rseq),
    ALLOW(set_robust_list), ALLOW(getrandom), ALLOW(nanosleep), ALLOW(clock_nanosleep),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};

static struct sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};

static long system_call(long number, long a, long b, long c)
{
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static void *thread_in_cage(void *unused)
{
    work(2000);
    return unused;
}

/* Enough work that the probe would sample, record steps and look around. */
static int work_in_cage(void)
{
    pthread_t one;

    say("in the cage\n");
    for (int i = 0; i < 50; i++) {
        work(2000);
        (void)usleep(1000);
    }
    if (pthread_create(&one, NULL, thread_in_cage, NULL) != 0)
        return 9;
    (void)pthread_join(one, NULL);
    say("kept %d\n", kept_count);
    return 4;
}

static int cage_by_prctl(size_t unused)
{
    (void)unused;
    work(2000);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 9;
    return work_in_cage();
}

static int cage_by_syscall(size_t unused)
{
    (void)unused;
    work(2000);
    (void)system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
        return 9;
    return work_in_cage();
}

/* The filter is set by a bare instruction that no library sees; what came before it is seen. */
static int cage_after_no_new_privileges(size_t unused)
{
    (void)unused;
    work(2000);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        system_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)&program) != 0)
        return 9;
    return work_in_cage();
}

/* Asks whether filters exist, as libraries do; none is set, and the program leaks like any other. */
static int cage_asked_for(size_t unused)
{
    (void)unused;
    say("%d\n", prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
    say("%ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
    leak_by_step();
    return 0;
}

/* The program that is executed has the filter from its first instruction. */
static int cage_inherited(size_t unused)
{
    static struct sock_filter no_stranger[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog few = {sizeof(no_stranger) / sizeof(no_stranger[0]), no_stranger};

    (void)unused;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &few) != 0)
        return 9;
    (void)execl("/proc/self/exe", "cages", "coroutine", "16384", (char *)NULL);
    return 9;
}

static const struct {
    const char *name;
    int (*run)(size_t);
} ways[] = {
    {"coroutine", coroutine},
    {"coroutine_exit", coroutine_exit},
    {"thread", thread},
    {"alternate", alternate},
    {"without_tls", without_tls},
    {"vfork_exit", vfork_exit},
    {"vfork_malloc", vfork_malloc},
    {"cage_by_prctl", cage_by_prctl},
    {"cage_by_syscall", cage_by_syscall},
    {"cage_after_no_new_privileges", cage_after_no_new_privileges},
    {"cage_asked_for", cage_asked_for},
    {"cage_inherited", cage_inherited},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(argv[1], ways[i].name) == 0)
            return ways[i].run(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    return 2;
}
