/* instance.h - what the files of the add-on share: its state in one environment of Node. */
#ifndef TARE_NODE_INSTANCE_H
#define TARE_NODE_INSTANCE_H

#include <dlfcn.h>
#include <string.h>
#include <time.h>

#include "napi.h"
#include "probe/entry/adapter_abi.h"
#include "probe/js/heap_pause_pure.h"

#define ARGUMENTS 40

/* An object that JavaScript reported, which the collector may release before it is disposed. */
struct watched {
    napi_ref reference; /* weak; owned */
    uint64_t number;
    double units; /* how many objects of its kind it stands for */
};

/* A heap between its collections, and what was reported of it (charge.c). */
struct heap_trend {
    uint64_t used;         /* its part of the total of all heaps, when last read */
    uint64_t least, first; /* least reading of the current window; of the first complete one */
    unsigned readings;     /* in the window */
    int64_t growth;
    uint64_t kept_shift, collections_shift; /* added to the reported values, which must not jump */
};

struct loading {
    napi_ref dlopen, met; /* functions: the real one, and the one to call with a loaded file */
};

struct ending {
    napi_ref real, over; /* the object with the real `emit`; the function to call at the end */
};

struct instance {
    napi_env env;
    struct watched *watched; /* owned */
    size_t watched_count, watched_room;
    uint64_t collections; /* V8's count when `watched` was last swept */
    uint64_t full;        /* full collections when the heap was last measured after one */
    uint64_t heap_time;   /* when its size was last read */
    uint64_t kept;        /* bytes in the heap after the latest full collection */
    bool asked;           /* a collection was requested, so only requested ones count for `kept` */
    int64_t own;          /* bytes of it that the adapter added since the first suspicion */
    bool measuring;       /* the current collection is the adapter's own */
    bool settling;        /* the latest search for who makes the objects has added to the heap */
    uint64_t own_full;    /* full collections that the adapter caused; they are not counted */
    bool begun;           /* on_rises was called */
    unsigned rises;       /* how many collections in a row left more than the one before */
    uint64_t rise;        /* bytes of the latest rise */
    uint64_t rise_base;   /* bytes before the first of these rises */
    uint64_t risen;       /* time of the latest rise */
    struct asking *asking; /* asking.c; NULL: it is not interrupted */
    bool sampled;         /* V8 samples its heap, started at an interrupt */
    bool sampling;        /* objects.cjs samples who makes the objects */
    uint64_t check_at, check_wait; /* when to collect if V8 does not, to see whether the heap
                                    * still rises; the wait before it; nanoseconds */
    uint64_t made;        /* bytes by which the heap grew between readings, summed */
    uint64_t made_since;  /* since when they are summed */
    uint64_t reported_full; /* full collections when on_rises was last called */
    uint64_t silent_until; /* on_rises is not called before this time */
    double released;      /* watched objects that the collector released, with their weight */
    uint64_t samples, round_began, round_spent;
    double rate;
    napi_ref on_rises, on_snapshot, on_scripts; /* functions of JavaScript; NULL: none */
    struct loading loading;
    struct ending ending;
    napi_async_context context;
    napi_ref counters; /* keeps the next */
    double *counts;    /* the array of js_counters */
    bool syncing;      /* a device was asked to finish its work, for the doctor */
    unsigned idle;     /* turns in a row without other work */
    double worked;     /* the program's count of its own work at the last turn */
    void *turning;     /* the event loop's handle; owned by itself once it turns */
    struct followed *followed; /* owned; dropped.c */
    size_t followed_count, followed_room, followed_free;
    uint64_t followed_full;  /* full collections when they were last examined */
    bool collecting;         /* --try gc */
    uint64_t collect_after;  /* not again before this time */
    bool is_worker;
    struct heap_trend trend;
    struct heap_known known;  /* what was measured of its heap */
    uint64_t stopped;         /* when the program was stopped to look at its heap */
    uint64_t stopped_work;    /* processor time of the thread then */
    uint64_t pause_most;      /* for how long it may be; UINT64_MAX: any time */
    uint64_t write_most;      /* the same until the snapshot is written */
    uint64_t expected;        /* how long the latest try would have stopped it; 0: not known */
    uint64_t try_after;       /* no other try before this time */
    bool unmarked;            /* its objects have no numbers: that would have taken too long */
    unsigned tries;           /* snapshots that were begun and not finished */
};

extern const struct tare_adapter *probe; /* the probe's functions; set before any instance exists */

/* Sets *to to a function of the process, by its linkage name. False: there is none, and *to is NULL. */
static inline bool find(const char *name, void *to)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static inline uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Processor time of this thread: on a busy machine a sample may wait for a processor a hundred
 * times as long as it works. */
static inline uint64_t worked_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The instance of a call, and its arguments. */
struct instance *instance_called(napi_env env, napi_callback_info info, size_t *count,
                                 napi_value arguments[ARGUMENTS]);

/* Before or after a step: what the collector has released, how large the heap is. */
void instance_look_around(struct instance *instance);

/* The texts and numbers of a call; 0 and false if there is none. */
#define TEXT_BYTES 512
double instance_number(napi_env env, size_t count, const napi_value *arguments, size_t at);
bool instance_text(napi_env env, size_t count, const napi_value *arguments, size_t at,
                   char out[TEXT_BYTES]);

/* survivors.c. Functions for JavaScript: objects(…), mark(), unmark(). */
napi_value survivors_objects(napi_env env, napi_callback_info info);
napi_value survivors_mark(napi_env env, napi_callback_info info);
napi_value survivors_unmark(napi_env env, napi_callback_info info);

napi_value survivors_sampled(napi_env env, napi_callback_info info); /* sampled() */
void survivors_sample(struct instance *instance); /* midway; does nothing if it samples already */
void survivors_unsample(struct instance *instance);

/* snapshot.c. Functions for JavaScript: onSnapshot(function), writeHeap(file), longArrays(bytes). */
napi_value snapshot_on_wanted(napi_env env, napi_callback_info info);
napi_value snapshot_write(napi_env env, napi_callback_info info);
napi_value snapshot_arrays(napi_env env, napi_callback_info info);
void snapshot_stops(struct instance *instance); /* the program is stopped for its heap from now on */
bool snapshot_may_mark(struct instance *instance); /* may all objects be numbered now? */
void snapshot_marked(struct instance *instance, uint64_t worked, uint64_t paused); /* it took so long */

/* listening.c. A function for JavaScript: serves(). */
napi_value listening_serves(napi_env env, napi_callback_info info);
bool listening_now(void); /* does the program listen on a socket? */

/* asking.c. While the environment exists, a script that does not return to its event loop is
 * interrupted: turning_midway() is called at a safe point of it. */
void asking_enter(struct instance *instance);
void asking_tick(struct instance *instance); /* some clock has ticked */
void asking_leave(struct instance *instance);

/* Bytes in use after a plain collection that is not counted; 0: unknown. A collection because of
 * low memory would drop compiled code, and the size would not be comparable. */
uint64_t instance_measure(struct instance *instance);

/* The adapter caused all full collections after number `before`: they are not counted. */
void instance_disown(struct instance *instance, uint64_t before);

/* counts.c. Functions for JavaScript: counters(array), syncing(number). Places in `counts`: the
 * add-on writes the first two; the last counts the program's own work while its device is awaited. */
#define COUNT_RELEASED 2  /* tensors that the collector has released */
#define COUNT_COLLECTED 6 /* how often the doctor had the collector run */
#define COUNT_WORKED 7
#define COUNTS_ALL 8
napi_value counts_begin(napi_env env, napi_callback_info info);
napi_value counts_syncing(napi_env env, napi_callback_info info);
void counts_report(const double *counts);

/* dropped.c. Functions for JavaScript: follow(object), unfollow(number), dropped(), collect(). */
napi_value dropped_follow(napi_env env, napi_callback_info info);
napi_value dropped_unfollow(napi_env env, napi_callback_info info);
napi_value dropped_list(napi_env env, napi_callback_info info);
napi_value dropped_collect(napi_env env, napi_callback_info info);
void dropped_begin(struct instance *instance); /* is a remedy tried? */
void dropped_tick(struct instance *instance);  /* before a step is reported: --try gc */
void dropped_release(struct instance *instance);

/* sizes.c. Reads the size of the heap, now and then and after each full collection. */
void sizes_measure(struct instance *instance, uint64_t full);

/* charge.c. The gauges of a process describe one heap, although every worker has its own: that of
 * the main thread, until another one grows. Takes a reading; true: this heap is the one. */
bool charge_note(struct instance *instance, uint64_t used);
void charge_report(struct instance *instance, uint64_t kept); /* bytes, after a full collection */
uint64_t charge_total(void);                                /* bytes in use in all heaps */
void charge_leave(struct instance *instance);

/* ending.c. A function for JavaScript: emitter(real, over). */
napi_value ending_emitter(napi_env env, napi_callback_info info);

/* loading.c. A function for JavaScript: around(dlopen, met). */
napi_value loading_around(napi_env env, napi_callback_info info);

/* scripts.c. Functions for JavaScript: script(number, name, text), onScripts(function). */
napi_value scripts_keep(napi_env env, napi_callback_info info);
napi_value scripts_on_wanted(napi_env env, napi_callback_info info);
void scripts_look(struct instance *instance); /* between two turns of the event loop, and at the end */

/* turning.c. Functions for JavaScript: turn(), onRises(function), over(). */
napi_value turning_begin(napi_env env, napi_callback_info info);
napi_value turning_on_rises(napi_env env, napi_callback_info info);
napi_value turning_over(napi_env env, napi_callback_info info);
void turning_midway(struct instance *instance); /* in the middle of a script */
void turning_leave(const struct instance *instance); /* the environment is taken down */

#endif /* TARE_NODE_INSTANCE_H */
