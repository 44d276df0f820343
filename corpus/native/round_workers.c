/* round_workers.c - every round starts sixteen threads that build and drop their own features. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { THREADS = 16, BLOCKS = 5000, ROUNDS = 60 };

static pthread_barrier_t together;

static void *build_features(void *unused)
{
    static const size_t size = 2400;
    char **blocks = malloc(BLOCKS * sizeof(*blocks));

    (void)unused;
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(size);
        memset(blocks[i], (int)(i & 0x7f), size);
    }
    pthread_barrier_wait(&together);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    free(blocks);
    return NULL;
}

int main(void)
{
    char *archive = malloc(24 << 20); /* read once, dropped before the rounds */

    memset(archive, 3, 24 << 20);
    consume(archive, 24 << 20);
    free(archive);
    pthread_barrier_init(&together, NULL, THREADS);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];

        tare_step(round);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, build_features, NULL);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%d rounds\n", ROUNDS);
    return 0;
}
