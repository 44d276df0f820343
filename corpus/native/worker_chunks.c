/* worker_chunks.c - four workers preprocess chunks; the main thread waits for each round. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { WORKERS = 4, STEPS = 300, VALUES = 700 };

static pthread_barrier_t begin, done;
static float results[WORKERS];

static float normalize(const float *raw)
{
    float *scaled = malloc(VALUES * sizeof(*scaled));
    float mean = 0;

    for (int i = 0; i < VALUES; i++)
        mean += raw[i] / VALUES;
    for (int i = 0; i < VALUES; i++)
        scaled[i] = raw[i] - mean;
    consume(scaled, VALUES * sizeof(*scaled));
    return scaled[0];
}

static void *worker(void *argument)
{
    const size_t self = (size_t)(uintptr_t)argument;

    for (uint64_t step = 0; step < STEPS; step++) {
        float *raw;

        pthread_barrier_wait(&begin);
        raw = malloc(VALUES * sizeof(*raw));
        fill_floats(raw, VALUES, step * WORKERS + self);
        results[self] = normalize(raw);
        free(raw);
        pthread_barrier_wait(&done);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    double sum = 0;

    pthread_barrier_init(&begin, NULL, WORKERS + 1);
    pthread_barrier_init(&done, NULL, WORKERS + 1);
    for (size_t i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)i);
    for (uint64_t step = 0; step < STEPS; step++) {
        tare_step(step);
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&done);
        for (int i = 0; i < WORKERS; i++)
            sum += (double)results[i];
        learn(NULL, 0, 8);
    }
    for (size_t i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("sum %.3f\n", sum);
    return 0;
}
