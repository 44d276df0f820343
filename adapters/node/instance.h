/* instance.h - what the files of the addon share: its state in one environment of Node. */
#ifndef TARE_NODE_INSTANCE_H
#define TARE_NODE_INSTANCE_H

#include <time.h>

#include "napi.h"
#include "probe/adapter.h"

#define ARGUMENTS 40

/* What JavaScript has told of and the collector may release before it is disposed. */
struct watched {
    napi_ref reference; /* weak; owned */
    uint64_t number;
    double units; /* how many of its kind it stands for */
};

/* What a heap does between its collections, and what was told of it (charge.c). */
struct heap_trend {
    uint64_t used;         /* as last counted among all heaps */
    uint64_t least, first; /* of the current window of readings; of the first whole one */
    unsigned readings;     /* in the window */
    int64_t growth;
    uint64_t kept_shift, collections_shift; /* added to what is told, which may not jump */
};

struct loading {
    napi_ref dlopen, met; /* functions: what is called, and who is told of a file that was loaded */
};

struct ending {
    napi_ref real, over; /* an object that has the `emit` to be called; a function to call at the end */
};

struct instance {
    napi_env env;
    struct watched *watched; /* owned */
    size_t watched_count, watched_room;
    uint64_t collections; /* of the engine when `watched` was last swept */
    uint64_t full;        /* full ones, when the heap was last measured behind one */
    uint64_t heap_time;   /* when its size was last read */
    uint64_t kept;        /* bytes in the heap behind the latest full collection … */
    bool asked;           /* … that was asked for; false: there was none yet, and the engine's own count */
    int64_t own;          /* bytes of it that the adapter has taken since the first suspicion, or let go of */
    bool measuring;       /* the collection that it asks for is its own */
    bool settling;        /* the latest look at who makes its objects has left something in it */
    uint64_t own_full;    /* full collections that the adapter itself has caused: they are not counted */
    bool begun;           /* on_rises was called */
    unsigned rises;       /* times in a row that it was more than before */
    uint64_t rise;        /* bytes of the latest */
    uint64_t rise_base;   /* bytes before the first of them */
    uint64_t risen;       /* when it last was */
    struct asking *asking; /* asking.c; NULL: it is not asked */
    bool sampled;         /* V8 samples its heap, as was asked midway */
    bool sampling;        /* JavaScript finds out who makes its objects … */
    uint64_t check_at, check_wait; /* … and at this time, if no collection comes, one is made to see whether
                                    * it still rises; nanoseconds */
    uint64_t made;        /* bytes by which the heap grew from one reading to the next … */
    uint64_t made_since;  /* … since this time */
    uint64_t told_full;   /* full collections when on_rises was last called */
    uint64_t told_until;  /* not again before this time */
    double released;      /* by the collector, of those watched and what they stand for */
    uint64_t samples, round_began, round_spent;
    double rate;
    napi_ref on_rises, on_snapshot, on_scripts; /* functions of JavaScript; NULL: none */
    struct loading loading;
    struct ending ending;
    napi_async_context context;
    napi_ref counters; /* keeps the next */
    double *counts;    /* the array of js_counters */
    bool syncing;      /* a device was asked to finish its work, for the doctor … */
    unsigned idle;     /* turns in a row in which nothing else was done … */
    double worked;     /* … and the count of the program's own doings when the loop last turned */
    void *turning;     /* the event loop's handle; owned by itself once it turns */
    struct followed *followed; /* owned; dropped.c */
    size_t followed_count, followed_room, followed_free;
    uint64_t followed_full;  /* full collections when they were last looked through */
    bool collecting;         /* --try gc */
    uint64_t collect_after;  /* not again before this time */
    bool is_worker;
    struct heap_trend trend;
};

extern const struct tare_adapter *adapter;
extern const struct tare_adapter_more *more;
extern const struct tare_adapter_heap *heap;
extern const struct tare_adapter_try *trying;
extern const struct tare_workers *workers;
extern const struct tare_scripts *scripts;
extern const struct tare_device *device;
extern const struct tare_midway *midway;

static inline uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Of this thread alone: on a busy machine a sample may wait for a processor a hundred times as long as it
 * works. */
static inline uint64_t worked_ns(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The instance of a call, and its arguments. */
struct instance *instance_called(napi_env env, napi_callback_info info, size_t *count,
                                 napi_value arguments[ARGUMENTS]);

/* Before or behind a step: what the collector has released, how large the heap is. */
void instance_look_around(struct instance *instance);

/* The texts and numbers of a call; 0 and false where there is none. */
#define TEXT_BYTES 512
double instance_number(napi_env env, size_t count, const napi_value *arguments, size_t at);
bool instance_text(napi_env env, size_t count, const napi_value *arguments, size_t at,
                   char out[TEXT_BYTES]);

/* survivors.c. Functions for JavaScript: objects(…), mark(), unmark(), onSnapshot(function). */
napi_value survivors_objects(napi_env env, napi_callback_info info);
napi_value survivors_mark(napi_env env, napi_callback_info info);
napi_value survivors_unmark(napi_env env, napi_callback_info info);
napi_value survivors_on_snapshot(napi_env env, napi_callback_info info);

napi_value survivors_sampled(napi_env env, napi_callback_info info); /* sampled() */
void survivors_sample(struct instance *instance); /* midway; does nothing if it samples already */
void survivors_unsample(struct instance *instance);

/* asking.c. While the environment is there, a script that does not return to its event loop is asked for a
 * word: turning_midway() is called in the middle of it. */
void asking_enter(struct instance *instance);
void asking_tick(struct instance *instance); /* some clock has ticked */
void asking_leave(struct instance *instance);

/* Bytes in use behind a plain collection of which nobody is told; 0: not known. One for want of memory would
 * throw code away that the program had, and what is left would say nothing of what there was. */
uint64_t instance_measure(struct instance *instance);

/* The adapter has caused the full collections since there were `before`: its own garbage was in them. */
void instance_disown(struct instance *instance, uint64_t before);

/* counts.c. Functions for JavaScript: counters(array), syncing(number). Places in `counts`: the first two are
 * ours to write, the last tells of what the program does while its device is waited for. */
#define COUNT_RELEASED 2  /* tensors that the collector has released */
#define COUNT_COLLECTED 6 /* times that the doctor has had it run */
#define COUNT_WORKED 7
#define COUNTS_ALL 8
napi_value counts_begin(napi_env env, napi_callback_info info);
napi_value counts_syncing(napi_env env, napi_callback_info info);
void counts_tell(const double *counts);

/* dropped.c. Functions for JavaScript: follow(object), unfollow(number), dropped(), collect(). */
napi_value dropped_follow(napi_env env, napi_callback_info info);
napi_value dropped_unfollow(napi_env env, napi_callback_info info);
napi_value dropped_list(napi_env env, napi_callback_info info);
napi_value dropped_collect(napi_env env, napi_callback_info info);
void dropped_begin(struct instance *instance); /* is a remedy tried? */
void dropped_tick(struct instance *instance);  /* before a step is told of: --try gc */
void dropped_release(struct instance *instance);

/* sizes.c. Reads the size of the heap, now and then and behind each full collection. */
void sizes_measure(struct instance *instance, uint64_t full);

/* charge.c. The gauges of a process tell of one heap, though every worker has its own: of the main thread's,
 * until another is seen to grow. A reading; true: this heap is the one. */
bool charge_note(struct instance *instance, uint64_t used);
void charge_tell(struct instance *instance, uint64_t kept); /* bytes, behind a full collection */
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
