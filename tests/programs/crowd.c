/* crowd.c - a list of many small blocks, for searches that take long.
 *
 * crowd NODES END [MEGABYTES]. Writes "ready" when the list is made, then marks a step per millisecond,
 * in each of which it keeps a block and writes over one 16th of an array of so many megabytes. When standard
 * input ends it ends too: "return", "_exit", or "thread": the marks are another thread's, which ends
 * after each step. "wait": it looks for children of every kind as well.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <tare/mark.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

struct node {
    struct node *next;
    char rest[8];
};

struct node *volatile newest;
static char *array;
static size_t array_size;

static void add(size_t size)
{
    struct node *node = malloc(size);

    node->next = newest;
    newest = node;
}

static void *step(void *index)
{
    const size_t part = array_size / 16, first = (size_t)index % 16 * part;

    tare_step((size_t)index);
    add(2000);
    for (size_t at = 0; at < part; at += 4096)
        array[first + at]++;
    return NULL;
}

static int input_has_ended(void)
{
    char byte;

    return read(0, &byte, 1) == 0;
}

static void *wait_for_end(void *unused)
{
    while (!input_has_ended())
        continue;
    return unused;
}

static void run(const char *way)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    pthread_t reader, worker;

    pthread_create(&reader, NULL, wait_for_end, NULL);
    for (size_t i = 0; pthread_tryjoin_np(reader, NULL) != 0; i++) {
        if (strcmp(way, "thread") == 0) {
            pthread_create(&worker, NULL, step, (void *)i);
            pthread_join(worker, NULL);
        } else {
            step((void *)i);
        }
        if (strcmp(way, "wait") == 0) {
            const pid_t found = waitpid(-1, NULL, WNOHANG | __WALL);

            if (found != -1)
                say("found a child: %d\n", (int)found);
        }
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **words)
{
    const long nodes = atol(words[1]);

    for (long i = 0; i < nodes; i++)
        add(sizeof(struct node));
    array_size = count > 3 ? (size_t)atol(words[3]) << 20 : 0;
    if (array_size > 0) {
        array = malloc(array_size);
        memset(array, 1, array_size);
    }
    say("ready\n");
    run(words[2]);
    if (strcmp(words[2], "_exit") == 0)
        _exit(0);
    return 0;
}
