/* snapshot.c - writes the heap of V8 to a file, if that does not stop the program for too long.
 *
 * V8 says how far it has come with a snapshot and ends it on request, so a bound holds whatever was
 * predicted (src/probe/js/heap_pause_pure.h). Without the functions of V8 that do this, which Node 18 to
 * 24 export alike, nothing is written.
 */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "instance.h"
#include "ledger/unsearched.h"

#define CHUNK_BYTES 65536
#define TRIES 3          /* snapshots that are begun and not finished */
#define TRY_SHARE 20     /* they may take this part of the time: 1/20 */
#define AFTER_SHARE 1.2  /* the collection after it, by the collection before it */
#define WRITE_SHARE 0.8  /* of a pause: until all is written. To release the memory that took is the rest */
#define MARK_SHARE 0.9   /* of a pause: until all objects are numbered */
#define NOT_DONE (-1.0)  /* what objects.cjs returns if it has not written: this, … */
#define NO_MEMORY (-2.0) /* … or this */

static struct {
    bool looked;
    void *(*isolate)(void);
    void *(*profiler)(void *);
    const void *(*take)(void *, const void *, void *, bool, bool);
    void (*serialize)(const void *, const void *, int);
    void (*release)(const void *);
} v8;

static bool find_v8(void)
{
    if (!v8.looked) {
        v8.looked = true;
        (void)find("_ZN2v87Isolate13TryGetCurrentEv", &v8.isolate);
        (void)find("_ZN2v87Isolate15GetHeapProfilerEv", &v8.profiler);
        find("_ZN2v812HeapProfiler16TakeHeapSnapshotEPNS_15ActivityControlEPNS0_18ObjectNameResolverEbb",
                &v8.take);
        find("_ZNK2v812HeapSnapshot9SerializeEPNS_12OutputStreamENS0_19SerializationFormatE",
                &v8.serialize);
        (void)find("_ZN2v812HeapSnapshot6DeleteEv", &v8.release);
    }
    return v8.isolate && v8.profiler && v8.take && v8.serialize && v8.release;
}

/* ---- what V8 calls ----
 * A v8::ActivityControl and a v8::OutputStream: their first word points to their functions, in the order of
 * their declaration. */

struct writing {
    const void *functions; /* of one of the two */
    const struct instance *instance;
    struct heap_progress *progress;
    int file;
};

static void gone(void *self)
{
    (void)self;
}

static struct heap_moment moment(const struct instance *instance)
{
    return (struct heap_moment){now_ns() - instance->stopped, worked_ns() - instance->stopped_work};
}

static int report(void *self, uint32_t done, uint32_t total)
{
    const struct writing *writing = self;
    const struct heap_moment now = moment(writing->instance);

    return !heap_pause_goes_on(writing->progress, &now, done, total,
                               writing->instance->write_most); /* 1: v8::ActivityControl::kAbort */
}

static const struct {
    void (*destroy)(void *), (*destroy_and_free)(void *);
    int (*report)(void *, uint32_t, uint32_t);
} control_functions = {gone, gone, report};

static int chunk_size(void *self)
{
    (void)self;
    return CHUNK_BYTES;
}

static int write_ascii(void *self, const char *text, int size)
{
    const struct writing *writing = self;

    while (size > 0) {
        const ssize_t wrote = write(writing->file, text, (size_t)size);

        if (wrote <= 0)
            return 1; /* v8::OutputStream::kAbort */
        text += wrote;
        size -= (int)wrote;
    }
    writing->progress->expected = moment(writing->instance).passed;
    return writing->progress->expected > writing->instance->write_most;
}

static int write_statistics(void *self, const void *data, int count)
{
    (void)self, (void)data, (void)count;
    return 1;
}

/* V8 calls EndOfStream if it has written all. */
static void end_of_stream(void *self)
{
    ((struct writing *)self)->file = -1;
}

static const struct {
    void (*destroy)(void *), (*destroy_and_free)(void *), (*end)(void *);
    int (*chunk_size)(void *);
    int (*ascii)(void *, const char *, int), (*statistics)(void *, const void *, int);
} stream_functions = {gone, gone, end_of_stream, chunk_size, write_ascii, write_statistics};

/* writeHeap(file): 1: the snapshot is in the file. */
napi_value snapshot_write(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    struct heap_progress progress = {.expected = 0};
    struct writing control = {&control_functions, instance, &progress, -1};
    struct writing stream = {&stream_functions, instance, &progress,
                             (int)instance_number(env, count, arguments, 0)};
    void *isolate = find_v8() ? v8.isolate() : NULL;
    const void *snapshot = NULL;

    instance->expected = 0;
    if (isolate && heap_pause_least(&instance->known) > instance->write_most) {
        instance->expected = heap_pause_usual(&instance->known);
    } else if (isolate) {
        snapshot = v8.take(v8.profiler(isolate), &control, NULL, true, false);
        instance->expected = progress.expected;
    }
    if (snapshot) {
        v8.serialize(snapshot, &stream, 0);
        v8.release(snapshot);
    }
    (void)napi_create_double(env, snapshot && stream.file < 0, &result);
    return result;
}

/* ---- whether it may be done ---- */

static uint64_t spent_by_process(void)
{
    struct timespec now = {0, 0};

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A collection of which it is noted how long it takes, by the work of its threads: how soon each gets a
 * processor says nothing of a snapshot, which one thread makes. */
static uint64_t measure(struct instance *instance)
{
    const uint64_t spent = spent_by_process();
    const uint64_t kept = instance_measure(instance);

    instance->known.collect_ns = spent_by_process() - spent;
    instance->known.used = kept;
    return kept;
}

void snapshot_stops(struct instance *instance)
{
    instance->stopped = now_ns();
    instance->stopped_work = worked_ns();
}

bool snapshot_may_mark(struct instance *instance)
{
    const uint64_t most = probe->js_pause_most(listening_now());
    struct heap_moment now;

    if (most == 0 || measure(instance) == 0)
        return false;
    now = moment(instance);
    instance->unmarked = (double)heap_pause_mark(&instance->known, &now) > MARK_SHARE * (double)most;
    return !instance->unmarked;
}

void snapshot_marked(struct instance *instance, uint64_t worked, uint64_t paused)
{
    instance->known.mark_ns = worked;
    instance->known.mark_paused = paused;
    instance->known.mark_used = instance->known.used;
}

static bool refuse(const struct instance *instance, uint32_t reason)
{
    const uint64_t usual = heap_pause_usual(&instance->known), least = heap_pause_least(&instance->known);
    const uint64_t seen = (uint64_t)((double)instance->expected / WRITE_SHARE); /* 0: V8 has not begun */
    const uint64_t whole = seen ? seen : usual > least ? usual : least;
    const uint64_t most = instance->pause_most, more = most + most / 4; /* it was not seen to its end */

    probe->js_no_snapshot(reason, reason != UNSEARCHED_heap_pause ? 0 : whole > more ? whole : more, most);
    return false;
}

/* What is known before anything is done. */
static bool may_begin(struct instance *instance)
{
    uint64_t external;

    snapshot_stops(instance);
    instance->expected = 0;
    instance->pause_most = probe->js_pause_most(listening_now());
    if (instance->pause_most == 0)
        return refuse(instance, UNSEARCHED_no_snapshot);
    if (instance->tries >= TRIES || instance->stopped < instance->try_after)
        return false; /* the last refusal has been recorded */
    if (instance->unmarked)
        return refuse(instance, UNSEARCHED_heap_pause); /* without numbers no holder could be found */
    if (probe->js_heap(&instance->known.used, &external) &&
        heap_pause_least(&instance->known) > instance->pause_most)
        return refuse(instance, UNSEARCHED_heap_pause);
    return true;
}

/* ---- the request ---- */

/* Calls the function of onSnapshot with the path. It returns the number of mark(), or 0, if it has written,
 * else NOT_DONE or NO_MEMORY. */
static double call(const struct instance *instance, const char *path)
{
    napi_handle_scope scope;
    napi_value function = NULL, self = NULL, argument, result = NULL;
    double number = NOT_DONE;

    if (napi_open_handle_scope(instance->env, &scope) != 0)
        return number;
    if (napi_get_reference_value(instance->env, instance->on_snapshot, &function) != 0 || !function ||
        napi_get_global(instance->env, &self) != 0 ||
        napi_create_string_utf8(instance->env, path, strlen(path), &argument) != 0 ||
        napi_make_callback(instance->env, instance->context, self, function, 1, &argument, &result) !=
            0 ||
        napi_get_value_double(instance->env, result, &number) != 0)
        number = NOT_DONE;
    (void)napi_close_handle_scope(instance->env, scope);
    return number;
}

/* The program has been stopped for nothing. */
static bool give_up(struct instance *instance, double number)
{
    instance->tries++;
    instance->try_after = now_ns() + TRY_SHARE * (now_ns() - instance->stopped);
    return refuse(instance, number == NO_MEMORY     ? UNSEARCHED_heap_memory
                            : instance->expected    ? UNSEARCHED_heap_pause
                                                    : UNSEARCHED_heap_engine);
}

/* When the snapshot must be written. `after`: what comes then. */
static void set_end(struct instance *instance, uint64_t after)
{
    const uint64_t most = (uint64_t)(WRITE_SHARE * (double)instance->pause_most);

    instance->write_most = instance->pause_most == HEAP_PAUSE_ANY ? HEAP_PAUSE_ANY
                           : most > after                         ? most - after
                                                                  : 0;
}

/* What a snapshot adds to the heap, or removes, is not the program's: before it writes, V8 makes
 * all collections that it can, and drops code that has not run for long. The program is stopped. */
static bool take(void *data, const char *path, uint64_t most, uint32_t *since)
{
    struct instance *instance = data;
    uint64_t full, before, after, rest; /* bytes, but for the last, nanoseconds */
    double number;

    if (!instance->on_snapshot || (most > 0 && instance->asked && instance->kept > most) ||
        !may_begin(instance))
        return false;
    (void)probe->js_collections(&full);
    before = measure(instance);
    rest = (uint64_t)(AFTER_SHARE * (double)(now_ns() - instance->stopped));
    set_end(instance, rest);
    number = call(instance, path);
    after = before ? instance_measure(instance) : 0;
    if (after)
        instance->own += (int64_t)(after - before);
    instance_disown(instance, full);
    *since = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
    return number >= 0 || give_up(instance, number);
}

/* onSnapshot(function): it is called when the doctor requests a snapshot. */
napi_value snapshot_on_wanted(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    if (count < 1 || instance->on_snapshot ||
        napi_create_reference(env, arguments[0], 1, &instance->on_snapshot) != 0)
        return NULL;
    probe->js_on_snapshot(take, instance);
    return NULL;
}

/* longArrays(bytes): in such an engine, so many bytes are in arrays that stop a snapshot for long. */
napi_value snapshot_arrays(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    instance->known.arrays = (uint64_t)instance_number(env, count, arguments, 0);
    return NULL;
}
