/* storm.c - threads that free and grow each other's blocks until nothing is left.
 *
 * Addresses are reused at once by other threads; every block is released before the end. Whatever
 * a witness still calls alive then is an immortal block. `storm THREADS TURNS`.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <tare/mark.h>

#include "say.h"

#define SLOTS 512
#define STACK (256 * 1024)
#define THREADS_MAX 16

static _Atomic(void *) slots[SLOTS];
static long turns;

static void *work(void *argument)
{
    uint64_t random = 88172645463325252ull + (uint64_t)(uintptr_t)argument * 7919;

    for (long i = 0; i < turns; i++) {
        void *block;

        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        block = __atomic_exchange_n((void **)&slots[random % SLOTS], NULL, __ATOMIC_ACQ_REL);
        switch ((random >> 20) % 4) {
        case 0:
            free(block);
            block = malloc(16 + (random >> 32) % 300);
            break;
        case 1:
            block = realloc(block, 16 + (random >> 32) % 3000);
            break;
        case 2:
            block = realloc(block, 16 + (random >> 32) % 200000);
            break;
        default:
            free(block);
            block = aligned_alloc(64, 64 + (random >> 32) % 8 * 64);
            break;
        }
        block = __atomic_exchange_n((void **)&slots[(random >> 40) % SLOTS], block,
                                    __ATOMIC_ACQ_REL);
        free(block);
        if (!argument && i % 1000 == 0)
            tare_step((uint64_t)i / 1000);
    }
    return NULL;
}

int main(int count, char **words)
{
    const int threads = count > 1 ? atoi(words[1]) : 4;
    pthread_t ids[THREADS_MAX];
    pthread_attr_t attributes;
    char *stacks = mmap(NULL, (size_t)THREADS_MAX * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    turns = count > 2 ? atol(words[2]) : 100000;
    if (stacks == MAP_FAILED || threads < 1 || threads > THREADS_MAX)
        return 1;
    for (long i = 1; i < threads; i++) {
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK, STACK);
        pthread_create(&ids[i], &attributes, work, (void *)i);
        pthread_attr_destroy(&attributes);
    }
    work(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    say("done\n");
    return 0;
}
