/* backlog_queue.c - a producer fills a queue that the trainer empties, but not as fast. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { STEPS = 350, VALUES = 600 };

struct item {
    struct item *next;
    float values[VALUES];
};

static struct {
    pthread_mutex_t lock;
    struct item *head, **tail;
    size_t length;
} queue = {PTHREAD_MUTEX_INITIALIZER, NULL, &queue.head, 0};

static pthread_barrier_t tick;

static void push(uint64_t number)
{
    struct item *item = malloc(sizeof(*item));

    item->next = NULL;
    fill_floats(item->values, VALUES, number);
    pthread_mutex_lock(&queue.lock);
    *queue.tail = item;
    queue.tail = &item->next;
    queue.length++;
    pthread_mutex_unlock(&queue.lock);
}

static struct item *pop(void)
{
    struct item *item;

    pthread_mutex_lock(&queue.lock);
    item = queue.head;
    if (item) {
        queue.head = item->next;
        queue.length--;
        if (!queue.head)
            queue.tail = &queue.head;
    }
    pthread_mutex_unlock(&queue.lock);
    return item;
}

static void *produce(void *unused)
{
    (void)unused;
    for (uint64_t step = 0; step < STEPS; step++) {
        pthread_barrier_wait(&tick);
        for (uint64_t i = 0; i < 4; i++)
            push(step * 4 + i);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer;

    pthread_barrier_init(&tick, NULL, 2);
    pthread_create(&producer, NULL, produce, NULL);
    for (uint64_t step = 0; step < STEPS; step++) {
        tare_step(step);
        for (int i = 0; i < 3; i++) {
            struct item *item = pop();
            if (item)
                learn(item->values, VALUES, 2);
            free(item);
        }
        pthread_barrier_wait(&tick);
    }
    pthread_join(producer, NULL);
    printf("%zu items are still waiting\n", queue.length);
    return 0;
}
