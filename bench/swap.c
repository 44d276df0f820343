/* swap.c - threads replace blocks of 16 bytes to 64 KB in a table of live ones.
 *
 * `swap PAIRS THREADS SLOTS`: each turn frees a random slot and fills it again; sizes are uniform in
 * their logarithm, and both ends of a block are written. Prints nanoseconds per pair.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS_MAX 64

static long pairs, slots;

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

__attribute__((noinline)) static unsigned char *make(uint64_t random)
{
    const size_t floor = (size_t)16 << (random % 12);
    const size_t size = floor + (random >> 8) % floor;
    unsigned char *block = malloc(size);

    if (!block)
        abort();
    block[0] = block[size - 1] = 1;
    return block;
}

static void *work(void *argument)
{
    uint64_t state = 88172645463325252ull + (uint64_t)(uintptr_t)argument * 977;
    unsigned char **table = calloc((size_t)slots, sizeof(*table));

    for (long i = 0; i < pairs; i++) {
        const uint64_t random = next_random(&state);
        const uint64_t slot = (random >> 20) % (uint64_t)slots;

        free(table[slot]);
        table[slot] = make(random);
    }
    for (long i = 0; i < slots; i++)
        free(table[i]);
    free(table);
    return NULL;
}

int main(int count, char **words)
{
    const int threads = count > 2 ? atoi(words[2]) : 1;
    pthread_t ids[THREADS_MAX];
    struct timespec begin, end;

    pairs = count > 1 ? atol(words[1]) : 1000000;
    slots = count > 3 ? atol(words[3]) : 10000;
    if (threads < 1 || threads > THREADS_MAX || pairs < 1 || slots < 1)
        return 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 1; i < threads; i++)
        pthread_create(&ids[i], NULL, work, (void *)i);
    work(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.4f\n", ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
                      (double)(end.tv_nsec - begin.tv_nsec)) / (double)pairs);
    return 0;
}
