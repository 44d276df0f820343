/* holders.c - keeps or loses one block a step, in a way its argument names. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "tare/mark.h"

#define STEPS 200
#define ELSEWHERE (1 << 20)
#define DEAD (64 * 1024)
#define STEPS_REFUSED 800
#define MASK 0x5555555555555555ul

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
void *mapped[STEPS_REFUSED];
static unsigned long hidden[2 * STEPS]; /* addresses that are not written as such */

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

/* Nobody who looks for pointers finds these, nor the others that the program has: a few of many sizes. */
static void hide(long step)
{
    size_t size = 48;

    for (long i = 0; i < step % 40; i++)
        size += size / 5;
    hidden[step] = (unsigned long)make() ^ MASK;
    if (step < 80)
        hidden[STEPS + step] = (unsigned long)memset(malloc(size), 1, size) ^ MASK;
}

enum { LARGER_STEPS = 12 };

/* A few heavy steps of one line, whose blocks get larger and more: those of its first size are older than
 * half of the run. */
static void lose_larger(long step)
{
    const int later = step > LARGER_STEPS / 2;
    const size_t size = later ? 66000 : 60000;

    for (int i = 0; i < (later ? 150 : 100); i++)
        memset(malloc(size), 1, size);
}

/* More than can be searched: in it there may be pointers. */
static void reserve(void)
{
    void *room = mmap(NULL, 100ul << 30, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        exit(77);
}

static void step_of(const char *way, long step, struct link **local)
{
    if (strcmp(way, "array") == 0)
        array[step] = make();
    else if (strcmp(way, "list") == 0)
        push(&newest);
    else if (strcmp(way, "shelf") == 0)
        put_on_shelf();
    else if (strcmp(way, "stack") == 0 || strcmp(way, "elsewhere") == 0)
        push(local);
    else if (strcmp(way, "thread") == 0)
        push(&mine);
    else if (strcmp(way, "inside") == 0) /* behind a head of its own */
        array[step] = (char *)make() + 64;
    else if (strcmp(way, "stale") == 0) /* as words do that were meant for something that lay there before */
        array[step] = (char *)make() + 16 * (1 + step * 37 % 120);
    else if (strcmp(way, "hidden") == 0)
        hide(step);
    else if (strcmp(way, "larger") == 0)
        lose_larger(step);
    else if (strcmp(way, "lost") == 0 || strcmp(way, "reserved") == 0)
        *(volatile char *)make() = 2;
}

/* For its first steps no copy of it may be made; it is killed, so that there is no last round. */
static void work_refused(void)
{
    const int faults = (int)syscall(SYS_userfaultfd, 1 /* of its own mode alone */);

    for (long step = 0; step < STEPS_REFUSED; step++) {
        tare_step((uint64_t)step);
        if (step == STEPS)
            close(faults);
        mapped[step] = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(mapped[step], 1, 65536);
        usleep(4000);
    }
    raise(SIGKILL);
}

static void work(int argc, char **argv)
{
    const long steps = argc > 1 && strcmp(argv[1], "larger") == 0 ? LARGER_STEPS : STEPS;
    struct link *local = NULL;

    if (argc > 1 && strcmp(argv[1], "reserved") == 0)
        reserve();
    for (long step = 0; argc > 1 && step < steps; step++) {
        tare_step((uint64_t)step);
        step_of(argv[1], step, &local);
    }
    printf("%d\n", local != NULL);
    exit(fflush(stdout));
}

static int kept_argc;
static char **kept_argv;
static char *old_stack;
static ucontext_t elsewhere;

/* What has led to this stack is gone, but for the register. */
static void work_elsewhere(void)
{
    memset(old_stack, 0, DEAD);
    memset(&elsewhere, 0, sizeof(elsewhere));
    work(kept_argc, kept_argv);
}

/* On a stack that is a block of the heap, and to which nothing points then: what its frames hold cannot be
 * found. */
static void leave_stack(int argc, char **argv)
{
    kept_argc = argc;
    kept_argv = argv;
    getcontext(&elsewhere);
    elsewhere.uc_stack.ss_sp = malloc(ELSEWHERE);
    elsewhere.uc_stack.ss_size = ELSEWHERE;
    makecontext(&elsewhere, work_elsewhere, 0);
    old_stack = (char *)__builtin_frame_address(0) - DEAD;
    setcontext(&elsewhere);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "elsewhere") == 0)
        leave_stack(argc, argv);
    if (argc > 1 && strcmp(argv[1], "refused") == 0)
        work_refused();
    work(argc, argv);
}
