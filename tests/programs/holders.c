/* holders.c - keeps or loses one block a step, in a way its argument names. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tare/mark.h"

#define STEPS 200

struct link {
    struct link *next;
    char payload[2000];
};

struct shelf {
    long used;
    void **books;
};

void *array[STEPS];
static struct link *newest;
static struct shelf shelf;
static __thread struct link *mine;

static void *make(void)
{
    return memset(malloc(2000), 1, 2000);
}

static void push(struct link **list)
{
    struct link *link = malloc(sizeof(*link));

    memset(link->payload, 1, sizeof(link->payload));
    link->next = *list;
    *list = link;
}

static void put_on_shelf(void)
{
    shelf.books = realloc(shelf.books, (size_t)(shelf.used + 1) * sizeof(*shelf.books));
    shelf.books[shelf.used++] = make();
}

static void step_of(const char *way, long step, struct link **local)
{
    if (strcmp(way, "array") == 0)
        array[step] = make();
    else if (strcmp(way, "list") == 0)
        push(&newest);
    else if (strcmp(way, "shelf") == 0)
        put_on_shelf();
    else if (strcmp(way, "stack") == 0)
        push(local);
    else if (strcmp(way, "thread") == 0)
        push(&mine);
    else if (strcmp(way, "inside") == 0) /* behind a head of its own */
        array[step] = (char *)make() + 64;
    else if (strcmp(way, "stale") == 0) /* as words do that were meant for something that lay there before */
        array[step] = (char *)make() + 16 * (1 + step * 37 % 120);
    else if (strcmp(way, "lost") == 0)
        *(volatile char *)make() = 2;
}

int main(int argc, char **argv)
{
    struct link *local = NULL;

    for (long step = 0; argc > 1 && step < STEPS; step++) {
        tare_step((uint64_t)step);
        step_of(argv[1], step, &local);
    }
    printf("%d\n", local != NULL);
    return 0;
}
