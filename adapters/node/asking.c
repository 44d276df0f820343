/* asking.c - a word with V8 in the middle of a script that does not return to its event loop.
 *
 * A loop that never waits ticks no clock, and so nobody would read the size of its heap, or collect it
 * when the doctor asks. V8 can be asked to call back at its next safe point, between two turns of a loop:
 * there the heap may be measured and collected, but no JavaScript may run. The request takes locks of
 * V8's own, which V8 holds now and then while it allocates: it must never come from a hook of the
 * allocator, nor from a thread of the engine. So one thread of ours makes it, as that of Node's inspector
 * does. It sleeps for nearly all of the time, holds no other lock than the list's, and what it waits for
 * within V8 are moments.
 *
 * An environment is on the list from its begin until it is taken down, or until the program has run its
 * last line; to be taken off it waits for a request that is being made. So a request never meets an
 * isolate that is gone; a call that comes late finds that its environment is not here any more.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"

#define MOST        64         /* environments; others are not asked */
#define LOOK_NS     200000000u /* in which nothing has ticked, … */
#define LOOK_GAPS   4          /* … and so many times the work that there was from tick to tick: … */
#define APART_NS    40000000u  /* … then so long between two calls */
#define BUSY_PART   8          /* of the time, one part in so many: less, and it waits for something */
#define STACK_BYTES 262144
#define LEAVE_MS    200        /* for which the end of the process waits, at most */

/* Guarded by `lock`, but for what is atomic. */
struct asking {
    void *isolate;   /* NULL: the place is free */
    clockid_t clock; /* the processor time of its thread … */
    uint64_t spent;  /* … as last read, … */
    uint64_t first;  /* … when it came, … */
    uint64_t worked; /* … and when a clock of its was last seen to have ticked: … */
    uint64_t ticked; /* … at this time */
    uint64_t ticks;  /* atomic: so far; written by its thread … */
    uint64_t seen;   /* … and as last read */
    bool pending;    /* atomic: it was asked, and has not called yet */
};

static struct asking list[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t begun; /* atomic, written under `lock`: whose thread it is; a child by fork has none */
static bool over;   /* guarded by `lock`: the process ends */

static struct {
    void *(*isolate)(void);
    void (*request)(void *isolate, void (*call)(void *isolate, void *data), void *data);
} v8;

static __thread struct instance *here; /* the environment of this thread; NULL: none, or none any more */

/* ---- on the thread of the script ---- */

static void called(void *isolate, void *data)
{
    struct asking *asking = data;
    struct instance *instance = here;

    if (!instance || instance->asking != asking || isolate != v8.isolate())
        return;
    __atomic_store_n(&asking->pending, false, __ATOMIC_RELAXED);
    if (!midway->begin())
        return;
    turning_midway(instance);
    midway->end();
}

void asking_tick(struct instance *instance)
{
    struct asking *asking = instance->asking;

    if (asking)
        __atomic_store_n(&asking->ticks, asking->ticks + 1, __ATOMIC_RELAXED);
}

/* ---- our thread ---- */

static uint64_t spent_by(const struct asking *asking)
{
    struct timespec time;

    return clock_gettime(asking->clock, &time) == 0
               ? (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec
               : asking->spent;
}

static bool was_at_work(struct asking *asking, uint64_t elapsed)
{
    const uint64_t before = asking->spent;

    asking->spent = spent_by(asking);
    return (asking->spent - before) * BUSY_PART >= elapsed;
}

/* A step may take long, and its end is the better moment. */
static bool is_silent(struct asking *asking, uint64_t now)
{
    const uint64_t ticks = __atomic_load_n(&asking->ticks, __ATOMIC_RELAXED);
    uint64_t gap;

    if (ticks != asking->seen) {
        asking->seen = ticks;
        asking->ticked = now;
        asking->worked = asking->spent;
    }
    gap = ticks ? (asking->worked - asking->first) / ticks : 0;
    return now - asking->ticked >= LOOK_NS && asking->spent - asking->worked >= LOOK_GAPS * gap;
}

/* Gives whether some environment is in the middle of something. */
static bool look(uint64_t now, uint64_t elapsed)
{
    bool any = false;

    (void)pthread_mutex_lock(&lock);
    for (struct asking *asking = list; asking < list + MOST && !over; asking++) {
        bool works;

        if (!asking->isolate)
            continue;
        works = was_at_work(asking, elapsed);
        if (!is_silent(asking, now) || !works)
            continue;
        any = true;
        if (!__atomic_exchange_n(&asking->pending, true, __ATOMIC_RELAXED))
            v8.request(asking->isolate, called, asking);
    }
    (void)pthread_mutex_unlock(&lock);
    return any;
}

/* What V8 allocates for its list is counted, and no more. The probe knows a thread by its first block. */
static void be_quiet(void)
{
    void *volatile first = malloc(1);

    free(first);
    (void)heap->quiet(true);
}

static void *ask(void *unused)
{
    uint64_t last = now_ns();
    bool any = false;

    (void)unused;
    (void)pthread_setname_np(pthread_self(), "tare");
    be_quiet();
    for (;;) {
        const struct timespec moment = {.tv_nsec = any ? APART_NS : LOOK_NS};
        uint64_t now;

        (void)nanosleep(&moment, NULL);
        now = now_ns();
        any = look(now, now - last);
        last = now;
    }
    return NULL;
}

/* No signal is ever served by it. */
static bool begin_thread(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    bool done;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    (void)sigfillset(&all);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    done = pthread_create(&thread, &attributes, ask, NULL) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)pthread_attr_destroy(&attributes);
    return done;
}

/* ---- the list ---- */

/* Is the thread of this process? */
static bool is_ours(void)
{
    return __atomic_load_n(&begun, __ATOMIC_ACQUIRE) == getpid();
}

/* When the process ends, V8 may be taken down by whoever built it in: nothing is asked any more. */
static void end(void)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LEAVE_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (!is_ours() || pthread_mutex_timedlock(&lock, &until) != 0)
        return;
    over = true;
    (void)pthread_mutex_unlock(&lock);
}

static bool find(const char *name, void *to)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* The first environment begins it all. */
static bool begin(void)
{
    if (!__atomic_load_n(&begun, __ATOMIC_RELAXED) && find("_ZN2v87Isolate13TryGetCurrentEv", &v8.isolate) &&
        find("_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_", &v8.request) && atexit(end) == 0 &&
        begin_thread())
        __atomic_store_n(&begun, getpid(), __ATOMIC_RELEASE);
    return is_ours();
}

static struct asking *free_place(void)
{
    struct asking *asking = list;

    while (asking < list + MOST && asking->isolate)
        asking++;
    return asking < list + MOST ? asking : NULL;
}

static void take(struct asking *asking, clockid_t clock)
{
    asking->clock = clock;
    asking->spent = 0;
    asking->spent = asking->first = asking->worked = spent_by(asking);
    asking->ticked = now_ns();
    asking->seen = 0;
    __atomic_store_n(&asking->ticks, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&asking->pending, false, __ATOMIC_RELAXED);
    asking->isolate = v8.isolate();
}

void asking_enter(struct instance *instance)
{
    clockid_t clock;

    if ((__atomic_load_n(&begun, __ATOMIC_ACQUIRE) && !is_ours()) ||
        pthread_getcpuclockid(pthread_self(), &clock) != 0)
        return;
    (void)pthread_mutex_lock(&lock);
    instance->asking = begin() ? free_place() : NULL;
    if (instance->asking)
        take(instance->asking, clock);
    (void)pthread_mutex_unlock(&lock);
    here = instance->asking ? instance : NULL;
}

void asking_leave(struct instance *instance)
{
    if (!instance->asking || !is_ours())
        return;
    (void)pthread_mutex_lock(&lock);
    instance->asking->isolate = NULL;
    (void)pthread_mutex_unlock(&lock);
    instance->asking = NULL;
    here = NULL;
}
