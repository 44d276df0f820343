/* shift_feed.c - two feeders pass blocks to a mixer over a pipe of pointers. No marked steps. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { FEEDERS = 2, EACH = 900 };

static int ends[2];

static void *feed(void *argument)
{
    uint64_t seed = 100 + (uint64_t)(uintptr_t)argument;

    for (int i = 0; i < EACH; i++) {
        const size_t size = 2000 + chance_below(&seed, 8000);
        char *block = malloc(size);

        memset(block, i & 0x7f, size);
        if (write(ends[1], &block, sizeof(block)) != (ssize_t)sizeof(block))
            abort();
        usleep(3500);
    }
    return NULL;
}

int main(void)
{
    pthread_t feeders[FEEDERS];
    size_t sum = 0;

    if (pipe(ends) != 0)
        return 1;
    for (size_t i = 0; i < FEEDERS; i++)
        pthread_create(&feeders[i], NULL, feed, (void *)(uintptr_t)i);
    for (int i = 0; i < FEEDERS * EACH; i++) {
        char *block;

        if (read(ends[0], &block, sizeof(block)) != (ssize_t)sizeof(block))
            return 1;
        sum += (size_t)block[100];
        learn(NULL, 0, 2);
        free(block);
    }
    for (size_t i = 0; i < FEEDERS; i++)
        pthread_join(feeders[i], NULL);
    printf("sum %zu\n", sum);
    return 0;
}
