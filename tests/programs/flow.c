/* flow.c - control that jumps: signals, longjmp, coroutines, many threads, odd descriptors.
 *
 * `flow HOW`. What allocates in a signal handler here does so while the interrupted code is outside
 * the allocator, which is all that POSIX promises.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>

#include "say.h"

static volatile sig_atomic_t alarms;
static jmp_buf back;
static ucontext_t main_context, coroutine[8];
static long passes;

static void on_alarm(int number)
{
    char *block = malloc(500 + (size_t)(number % 100));

    block[0] = 1;
    free(block);
    alarms++;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    struct itimerval every = {{0, 1000}, {0, 1000}};
    volatile uint64_t work = 1;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    while (alarms < 50)
        work = work * 6364136223846793005ull + 1;
    every = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    for (int i = 0; i < 100; i++)
        raise(SIGALRM);
    say("signals %d\n", alarms >= 150);
}

/* The handler runs on a stack of its own, where an unwinder finds no caller it knows. */
static void signals_on_their_own_stack(void)
{
    stack_t own = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK};

    sigaltstack(&own, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 200; i++)
        raise(SIGUSR1);
    own.ss_flags = SS_DISABLE;
    sigaltstack(&own, NULL);
    say("altstack %d\n", (int)alarms);
}

static void deep_then_jump(int depth)
{
    char *block = malloc((size_t)depth * 10 + 1);

    block[0] = 1;
    free(block);
    if (depth == 0)
        longjmp(back, 1);
    else
        deep_then_jump(depth - 1);
    __asm__ volatile("" ::: "memory");
}

static void jumps(void)
{
    volatile int count = 0;

    while (count < 500) {
        if (setjmp(back) == 0)
            deep_then_jump(50);
        count++;
    }
    say("jumps %d\n", count);
}

static void coroutine_body(int index)
{
    for (int i = 0; i < 500; i++) {
        void *block = malloc((size_t)(index + 1) * 100);

        swapcontext(&coroutine[index], &main_context);
        free(block);
        passes++;
    }
}

static void coroutines(void)
{
    for (int i = 0; i < 8; i++) {
        getcontext(&coroutine[i]);
        coroutine[i].uc_stack.ss_sp = malloc(65536);
        coroutine[i].uc_stack.ss_size = 65536;
        coroutine[i].uc_link = &main_context;
        makecontext(&coroutine[i], (void (*)(void))coroutine_body, 1, i);
    }
    for (int turn = 0; turn < 501; turn++) {
        for (int i = 0; i < 8; i++)
            swapcontext(&main_context, &coroutine[i]);
    }
    say("coroutines %ld\n", passes);
}

static void *short_thread(void *argument)
{
    free(argument);
    return malloc(100);
}

static void threads(void)
{
    long made = 0;

    for (int i = 0; i < 2500; i++) {
        pthread_t four[4];
        void *left;

        for (int k = 0; k < 4; k++)
            made += pthread_create(&four[k], NULL, short_thread, malloc(50)) == 0;
        for (int k = 0; k < 4; k++) {
            pthread_join(four[k], &left);
            free(left);
        }
    }
    say("threads %ld\n", made);
}

/* Takes away every descriptor it has, ours among them if we kept one, and leaves the directory. */
static void descriptors(void)
{
    const int out = fcntl(1, F_DUPFD, 200);
    int opened;

    for (int turn = 0; turn < 3; turn++) {
        for (int fd = 0; fd < 200; fd++)
            close(fd);
        if (chdir("/") != 0)
            _exit(97);
        for (int i = 0; i < 20000; i++)
            free(malloc((size_t)i % 5000));
        opened = open("/dev/null", O_RDWR);
        if (opened != 0) /* the lowest free descriptor: nobody else may sit on it */
            _exit(96);
    }
    dup2(out, 1);
    say("descriptors\n");
}

static void loader(const char *plugin)
{
    long sum = 0;

    for (int i = 0; i < 300; i++) {
        void *handle = dlopen(plugin, i % 2 ? RTLD_NOW : RTLD_LAZY | RTLD_GLOBAL);
        void *(*make)(long) = handle ? (void *(*)(long))dlsym(handle, "plugin_make") : NULL;
        void *block = make ? make(i) : NULL;

        sum += block != NULL;
        free(block);
        if (handle)
            dlclose(handle);
    }
    say("loader %ld\n", sum);
}

int main(int count, char **words)
{
    const char *how = count > 1 ? words[1] : "";

    if (strcmp(how, "signals") == 0)
        signals();
    else if (strcmp(how, "altstack") == 0)
        signals_on_their_own_stack();
    else if (strcmp(how, "jumps") == 0)
        jumps();
    else if (strcmp(how, "coroutines") == 0)
        coroutines();
    else if (strcmp(how, "threads") == 0)
        threads();
    else if (strcmp(how, "descriptors") == 0)
        descriptors();
    else if (strcmp(how, "loader") == 0 && count > 2)
        loader(words[2]);
    else
        return 2;
    return 0;
}
