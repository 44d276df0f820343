/* thread_store.c - each worker keeps its partial sums in a thread-local list; the workers
 * serve until the process ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { WORKERS = 3, STEPS = 350 };

struct partial {
    struct partial *next;
    float sums[400];
};

static __thread struct partial *partials;
static pthread_barrier_t begin, done;
static size_t counts[WORKERS];

static void add_partial(uint64_t step)
{
    struct partial *partial = malloc(sizeof(*partial));

    fill_floats(partial->sums, 400, step);
    partial->next = partials;
    partials = partial;
}

static void *worker(void *argument)
{
    const size_t self = (size_t)(uintptr_t)argument;

    for (uint64_t step = 0;; step++) {
        pthread_barrier_wait(&begin);
        add_partial(step + self);
        counts[self]++;
        learn(partials->sums, 0, 4);
        pthread_barrier_wait(&done);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];

    pthread_barrier_init(&begin, NULL, WORKERS + 1);
    pthread_barrier_init(&done, NULL, WORKERS + 1);
    for (size_t i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)i);
    for (uint64_t step = 0; step < STEPS; step++) {
        tare_step(step);
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&done);
    }
    printf("%zu partial sums\n", counts[0] + counts[1] + counts[2]);
    return 0;
}
