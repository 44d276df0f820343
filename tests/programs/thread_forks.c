/* thread_forks.c - forks while threads come and go; every child starts threads of its own.
 *
 * `thread_forks FORKS THREADS`: four threads make and join short-lived ones without a break. Each child
 * runs THREADS threads at once, of which each keeps one block of KEPT bytes. Prints "done".
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "say.h"

#define CHURNERS 4
#define STACK (64 * 1024)
#define KEPT 450

static int over; /* atomic */
static pthread_barrier_t together;

static int start(pthread_t *thread, void *(*function)(void *))
{
    pthread_attr_t attributes;
    int error;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    error = pthread_create(thread, &attributes, function, NULL);
    pthread_attr_destroy(&attributes);
    return error;
}

static void *one_block(void *argument)
{
    void *volatile block = malloc(100);

    free(block);
    return argument;
}

static void *churn(void *argument)
{
    pthread_t thread;

    while (!__atomic_load_n(&over, __ATOMIC_ACQUIRE))
        if (start(&thread, one_block) == 0)
            pthread_join(thread, NULL);
    return argument;
}

static void *keep_one(void *argument)
{
    void *block = malloc(KEPT);

    (void)argument;
    pthread_barrier_wait(&together);
    return block;
}

static int child(unsigned threads)
{
    pthread_t *all = calloc(threads, sizeof(*all));
    void *kept;

    pthread_barrier_init(&together, NULL, threads);
    for (unsigned i = 0; i < threads; i++)
        if (start(&all[i], keep_one) != 0)
            return 97;
    for (unsigned i = 0; i < threads; i++)
        if (pthread_join(all[i], &kept) != 0 || !kept)
            return 96;
    return 0;
}

int main(int count, char **words)
{
    const int forks = count > 1 ? atoi(words[1]) : 10;
    const unsigned threads = count > 2 ? (unsigned)atoi(words[2]) : 100;
    pthread_t churners[CHURNERS];
    int failed = 0;

    for (int i = 0; i < CHURNERS; i++)
        start(&churners[i], churn);
    for (int i = 0; i < forks; i++) {
        const pid_t pid = fork();
        int status = -1;

        if (pid == 0)
            exit(child(threads));
        failed += pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < CHURNERS; i++)
        pthread_join(churners[i], NULL);
    say("%s\n", failed ? "failed" : "done");
    return failed != 0;
}
