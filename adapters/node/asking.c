/* asking.c - interrupt V8 at a safe point in a script that never returns to its event loop.
 *
 * A loop that never waits ticks no clock, so the size of its heap would not be read, and the doctor
 * could not have it collected. V8 can be asked to call back at its next safe point, between two
 * turns of a loop. There the heap may be measured and collected, but no JavaScript may run. The
 * request takes locks of V8, which V8 sometimes holds while it allocates: it must never come from a
 * hook of the allocator, nor from a thread of the engine. So one thread of ours makes it, like the
 * thread of Node's inspector. It sleeps nearly all the time, holds no lock but that of the list,
 * and waits only for moments inside V8.
 *
 * An environment is on the list from its start until it is torn down, or until the program has run
 * its last line. To be removed it waits for a request in progress. So a request never reaches an
 * isolate that is gone; a late call finds that its environment has left.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"

#define MOST        64         /* environments; more are not interrupted */
#define LOOK_NS     200000000u /* a script is interrupted if nothing has ticked for this long … */
#define LOOK_GAPS   4          /* … and for so many times the usual work between two ticks; */
#define APART_NS    40000000u  /* then two interrupts are this far apart */
#define WORK_NS     5000000u   /* of processor time since the last interrupt; with less, the script waits */
#define STACK_BYTES 262144
#define LEAVE_MS    200        /* how long the end of the process waits at most */

/* Guarded by `lock`, except atomic fields. */
struct asking {
    void *isolate;   /* NULL: the place is free */
    clockid_t clock; /* processor time of its thread */
    uint64_t spent;  /* that time, when last read */
    uint64_t first;  /* that time, when the environment was added */
    uint64_t asked;  /* that time, when it was last interrupted, or was seen to have ticked */
    uint64_t worked; /* that time, when one of its clocks was last seen to have ticked */
    uint64_t ticked; /* when that was, by the wall clock */
    uint64_t ticks;  /* atomic: ticks so far; written by its thread */
    uint64_t seen;   /* ticks when last read */
    bool pending;    /* atomic: an interrupt was requested and has not come yet */
};

static struct asking list[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t begun; /* atomic, written under `lock`: the process that has the thread */
static bool over;   /* guarded by `lock`: the process ends */

static struct {
    void *(*isolate)(void);
    void (*request)(void *isolate, void (*call)(void *isolate, void *data), void *data);
} v8;

static __thread struct instance *here; /* the environment of this thread; NULL: none */

/* ---- on the thread of the script ---- */

static void called(void *isolate, void *data)
{
    struct asking *asking = data;
    struct instance *instance = here;

    if (!instance || instance->asking != asking || isolate != v8.isolate())
        return;
    __atomic_store_n(&asking->pending, false, __ATOMIC_RELAXED);
    if (!probe->js_interrupt_begin())
        return;
    turning_midway(instance);
    probe->js_interrupt_end();
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

/* On a busy machine it may get little of the time and still work. */
static bool was_at_work(struct asking *asking)
{
    const uint64_t before = asking->spent;

    asking->spent = spent_by(asking);
    return asking->spent > before && asking->spent - asking->asked >= WORK_NS;
}

/* A step may take long; its end is the better moment. */
static bool is_silent(struct asking *asking, uint64_t now)
{
    const uint64_t ticks = __atomic_load_n(&asking->ticks, __ATOMIC_RELAXED);
    uint64_t gap;

    if (ticks != asking->seen) {
        asking->seen = ticks;
        asking->ticked = now;
        asking->worked = asking->asked = asking->spent;
    }
    gap = ticks ? (asking->worked - asking->first) / ticks : 0;
    return now - asking->ticked >= LOOK_NS && asking->spent - asking->worked >= LOOK_GAPS * gap;
}

/* True if some environment is in the middle of a script. */
static bool look(uint64_t now)
{
    bool any = false;

    (void)pthread_mutex_lock(&lock);
    for (struct asking *asking = list; asking < list + MOST && !over; asking++) {
        bool works;

        if (!asking->isolate)
            continue;
        works = was_at_work(asking);
        if (!is_silent(asking, now) || !works)
            continue;
        any = true;
        asking->asked = asking->spent;
        if (!__atomic_exchange_n(&asking->pending, true, __ATOMIC_RELAXED))
            v8.request(asking->isolate, called, asking);
    }
    (void)pthread_mutex_unlock(&lock);
    return any;
}

/* What V8 allocates for its list is counted and not sampled. The probe knows a thread by its first
 * block. */
static void be_quiet(void)
{
    void *volatile first = malloc(1);

    free(first);
    (void)probe->js_quiet(true);
}

static void *ask(void *unused)
{
    bool any = false;

    (void)unused;
    (void)pthread_setname_np(pthread_self(), "tare");
    be_quiet();
    for (;;) {
        const struct timespec moment = {.tv_nsec = any ? APART_NS : LOOK_NS};

        (void)nanosleep(&moment, NULL);
        any = look(now_ns());
    }
    return NULL;
}

/* It handles no signals. */
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

/* Does the thread belong to this process? */
static bool is_ours(void)
{
    return __atomic_load_n(&begun, __ATOMIC_ACQUIRE) == getpid();
}

/* When the process ends, an embedder may tear V8 down: no more interrupts. */
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

/* The first environment starts the thread. */
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
    asking->spent = asking->first = asking->worked = asking->asked = spent_by(asking);
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
