/* handoff_queue.c - a reader thread makes batches, the trainer uses and frees them. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { STEPS = 500, DEPTH = 8, VALUES = 5000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    float *slots[DEPTH];
    size_t head, count;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void *read_batches(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < STEPS; i++) {
        float *batch = malloc(VALUES * sizeof(*batch));

        fill_floats(batch, VALUES, i);
        pthread_mutex_lock(&queue.lock);
        while (queue.count == DEPTH)
            pthread_cond_wait(&queue.changed, &queue.lock);
        queue.slots[(queue.head + queue.count++) % DEPTH] = batch;
        pthread_cond_broadcast(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    return NULL;
}

static float *next_batch(void)
{
    float *batch;

    pthread_mutex_lock(&queue.lock);
    while (queue.count == 0)
        pthread_cond_wait(&queue.changed, &queue.lock);
    batch = queue.slots[queue.head];
    queue.head = (queue.head + 1) % DEPTH;
    queue.count--;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    return batch;
}

int main(void)
{
    pthread_t reader;
    double loss = 0;

    pthread_create(&reader, NULL, read_batches, NULL);
    for (uint64_t step = 0; step < STEPS; step++) {
        float *batch;

        tare_step(step);
        batch = next_batch();
        loss += (double)learn(batch, VALUES, 5);
        free(batch);
    }
    pthread_join(reader, NULL);
    printf("loss %.3f\n", loss);
    return 0;
}
