/* threads.c - many threads at once, then many one after another; prints what they took.
 *
 * `threads ALIVE TURNS AFTER`: ALIVE threads wait for each other, replace a block TURNS times inside
 * a named scope, and keep one of KEPT_SMALL and one of KEPT_LARGE bytes; AFTER more live for one block
 * each. Prints "resident PAGES together NANOSECONDS after NANOSECONDS worked NANOSECONDS NANOSECONDS":
 * pages while all are alive; then how long either part took, and its processor time.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>
#include <time.h>

#include "say.h"

#define STACK (64 * 1024)
#define KEPT_SMALL 450
#define KEPT_LARGE 3300
#define SCOPES 8

static pthread_barrier_t begun, done, left;
static int turns;

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *one_of_many(void *argument)
{
    void *block = NULL;

    pthread_barrier_wait(&begun);
    ((void **)argument)[0] = malloc(KEPT_SMALL);
    ((void **)argument)[1] = malloc(KEPT_LARGE);
    for (int i = 0; i < turns; i++) {
        if (i % SCOPES == 0)
            tare_scope_begin("turns");
        free(block);
        block = malloc(1000 + (size_t)i % 200);
        if (i % SCOPES == SCOPES - 1)
            tare_scope_end();
    }
    free(block);
    pthread_barrier_wait(&done);
    pthread_barrier_wait(&left);
    return NULL;
}

static void *one_block(void *argument)
{
    char *volatile block = malloc(100 + (size_t)(uintptr_t)argument % 500);

    block[0] = 1;
    free(block);
    return NULL;
}

static long resident_pages(void)
{
    const int fd = open("/proc/self/statm", O_RDONLY);
    char text[128] = "";
    const ssize_t length = read(fd, text, sizeof(text) - 1);

    close(fd);
    return length > 0 ? atol(strchr(text, ' ')) : -1;
}

static void start(pthread_t *thread, void *(*function)(void *), void *argument)
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    if (pthread_create(thread, &attributes, function, argument) != 0)
        _exit(98);
    pthread_attr_destroy(&attributes);
}

int main(int count, char **words)
{
    const size_t alive = count > 1 ? (size_t)atol(words[1]) : 100;
    const size_t after = count > 3 ? (size_t)atol(words[3]) : 0;
    pthread_t *threads = calloc(alive + 1, sizeof(*threads));
    void **kept = calloc(alive + 1, 2 * sizeof(*kept));
    const int64_t began = nanoseconds(CLOCK_MONOTONIC), rested = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    int64_t together, worked;
    long resident;

    turns = count > 2 ? atoi(words[2]) : 100;
    pthread_barrier_init(&begun, NULL, (unsigned)alive);
    pthread_barrier_init(&done, NULL, (unsigned)alive + 1);
    pthread_barrier_init(&left, NULL, (unsigned)alive + 1);
    for (size_t i = 0; i < alive; i++)
        start(&threads[i], one_of_many, &kept[2 * i]);
    pthread_barrier_wait(&done);
    resident = resident_pages();
    pthread_barrier_wait(&left);
    for (size_t i = 0; i < alive; i++)
        pthread_join(threads[i], NULL);
    together = nanoseconds(CLOCK_MONOTONIC) - began;
    worked = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - rested;
    for (size_t i = 0; i < after; i++) {
        start(&threads[0], one_block, (void *)i);
        pthread_join(threads[0], NULL);
    }
    say("resident %ld together %lld after %lld worked %lld %lld\n", resident, (long long)together,
        (long long)(nanoseconds(CLOCK_MONOTONIC) - began - together), (long long)worked,
        (long long)(nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - rested - worked));
    return 0;
}
