/* truth.c - known amounts from known lines on 8 threads, partly freed by other threads.
 *
 * Prints what it holds at the end: the exact sum of usable sizes and the number of blocks. Threads
 * run on stacks of their own, so that libc gives back all it took for them when they are joined;
 * nothing else in this program touches the heap.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tare/mark.h>

#include "say.h"

#define THREADS 8
#define BLOCKS 3000
#define STACK (256 * 1024)

static void *blocks[THREADS][BLOCKS];
static pthread_barrier_t all_made;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

__attribute__((noinline)) static void *one_block(uint64_t random, int kind)
{
    const size_t size = ((size_t)8 << (random % 10)) + (random >> 32) % 100;
    void *block = NULL;

    switch (kind % 7) {
    case 0:
        return malloc(size);
    case 1:
        return calloc(size / 8 + 1, 8);
    case 2:
        return realloc(NULL, size);
    case 3:
        return posix_memalign(&block, 64, size) == 0 ? block : NULL;
    case 4:
        return aligned_alloc(32, (size + 31) / 32 * 32);
    case 5:
        return memalign(4096, size);
    default:
        return reallocarray(malloc(16), size, 1);
    }
}

/* Fills its own row, then frees every third block of the next thread's row and grows every fifth. */
static void *work(void *argument)
{
    const int self = (int)(intptr_t)argument;
    const int other = (self + 1) % THREADS;
    uint64_t random = 88172645463325252ull + (uint64_t)self * 977;

    for (int i = 0; i < BLOCKS; i++)
        blocks[self][i] = one_block(next_random(&random), i);
    pthread_barrier_wait(&all_made);
    for (int i = 0; i < BLOCKS; i++) {
        if (i % 3 == 0) {
            free(blocks[other][i]);
            blocks[other][i] = NULL;
        } else if (i % 5 == 0) {
            blocks[other][i] = realloc(blocks[other][i], 100 + next_random(&random) % 5000);
        }
    }
    return NULL;
}

static int run_threads(void)
{
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    char *stacks = mmap(NULL, (size_t)THREADS * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (stacks == MAP_FAILED)
        return -1;
    pthread_barrier_init(&all_made, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK, STACK);
        if (pthread_create(&threads[i], &attributes, work, (void *)(intptr_t)i) != 0)
            return -1;
        pthread_attr_destroy(&attributes);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

int main(void)
{
    size_t bytes = 0, count = 0;

    tare_step(0);
    if (run_threads() != 0)
        return 1;
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < BLOCKS; i++) {
            bytes += malloc_usable_size(blocks[t][i]); /* of NULL: 0 */
            count += blocks[t][i] != NULL;
        }
    }
    tare_step(1);
    errno = 0;
    say("%zu %zu\n", bytes, count);
    return 0;
}
