/* survivors.c - what is alive in the heap: by the function that made it, by age, and as a snapshot.
 *
 * V8 numbers the objects of its heap on request, each once; later objects have greater numbers. So
 * a snapshot shows what was made after the first suspicion. The functions of V8 that do this are
 * found by their mangled names, which Node 18 to 24 export alike; without them ages are unknown.
 */
#include <dlfcn.h>
#include <string.h>

#include "instance.h"

#define FRAMES_MOST 8 /* of four arguments each */
#define SAMPLE_BYTES 65536
#define SAMPLE_DEPTH 32

/* ---- by function ---- */

/* objects(site, bytes, file, function, line, column, file, …): returns the site. */
napi_value survivors_objects(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    char texts[2 * FRAMES_MOST][TEXT_BYTES];
    struct tare_frame frames[FRAMES_MOST];
    uint32_t frame_count = 0, site;
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    for (size_t at = 2; at + 3 < count && frame_count < FRAMES_MOST; at += 4) {
        char *file = texts[2 * frame_count], *function = texts[2 * frame_count + 1];

        if (!instance_text(env, count, arguments, at, file) ||
            !instance_text(env, count, arguments, at + 1, function))
            break;
        frames[frame_count++] = (struct tare_frame){
            file, function, (uint32_t)instance_number(env, count, arguments, at + 2),
            (uint32_t)instance_number(env, count, arguments, at + 3)};
    }
    site = probe->js_objects((uint32_t)instance_number(env, count, arguments, 0), frames, frame_count,
                             (uint64_t)instance_number(env, count, arguments, 1));
    (void)napi_create_double(env, (double)site, &result);
    return result;
}

/* ---- by age ---- */

static struct {
    bool looked;
    void *(*isolate)(void);
    void *(*profiler)(void *);
    void (*start)(void *, bool);
    uint32_t (*statistics)(void *, void *, void *);
    void (*stop)(void *);
    void (*clear)(void *);
    bool (*sample)(void *, uint64_t, int, int);
    void (*unsample)(void *);
} v8;

/* A v8::OutputStream: its first word points to its functions, in the order of their declaration. Of
 * the statistics only the number that comes with them is used. */
static void stream_gone(void *stream)
{
    (void)stream;
}

static int stream_chunk(void *stream)
{
    (void)stream;
    return 1024;
}

static int stream_refuse(void *stream, void *data, int count)
{
    (void)stream, (void)data, (void)count;
    return 1; /* v8::OutputStream::kAbort */
}

static const struct {
    void (*destroy)(void *), (*destroy_and_free)(void *), (*end)(void *);
    int (*chunk_size)(void *);
    int (*ascii)(void *, void *, int), (*statistics)(void *, void *, int);
} stream_functions = {stream_gone,  stream_gone,   stream_gone,
                      stream_chunk, stream_refuse, stream_refuse};

static void look_up(const char *name, void *to)
{
    void *symbol = dlsym(RTLD_DEFAULT, name);

    memcpy(to, &symbol, sizeof(symbol));
}

static bool find_v8(void)
{
    if (!v8.looked) {
        v8.looked = true;
        look_up("_ZN2v87Isolate13TryGetCurrentEv", &v8.isolate);
        look_up("_ZN2v87Isolate15GetHeapProfilerEv", &v8.profiler);
        look_up("_ZN2v812HeapProfiler24StartTrackingHeapObjectsEb", &v8.start);
        look_up("_ZN2v812HeapProfiler12GetHeapStatsEPNS_12OutputStreamEPl", &v8.statistics);
        look_up("_ZN2v812HeapProfiler23StopTrackingHeapObjectsEv", &v8.stop);
        look_up("_ZN2v812HeapProfiler14ClearObjectIdsEv", &v8.clear);
        look_up("_ZN2v812HeapProfiler25StartSamplingHeapProfilerEmiNS0_13SamplingFlagsE", &v8.sample);
        look_up("_ZN2v812HeapProfiler24StopSamplingHeapProfilerEv", &v8.unsample);
    }
    return v8.isolate && v8.profiler && v8.start && v8.statistics && v8.stop && v8.clear;
}

static void *profiler_now(void)
{
    void *isolate = find_v8() ? v8.isolate() : NULL;

    return isolate ? v8.profiler(isolate) : NULL;
}

/* mark(): numbers all live objects; returns the greatest number, 0: it could not be done. */
napi_value survivors_mark(napi_env env, napi_callback_info info)
{
    const void *stream = &stream_functions;
    void *profiler = profiler_now();
    napi_value result = NULL;
    uint32_t last = 0;

    (void)info;
    if (profiler) {
        v8.start(profiler, false);
        last = v8.statistics(profiler, &stream, NULL);
        v8.stop(profiler);
    }
    (void)napi_create_double(env, (double)last, &result);
    return result;
}

/* unmark(): forgets the numbers. */
napi_value survivors_unmark(napi_env env, napi_callback_info info)
{
    void *profiler = profiler_now();

    (void)env;
    (void)info;
    if (profiler)
        v8.clear(profiler);
    return NULL;
}

/* ---- while no JavaScript may run ---- */

/* The sampling that objects.cjs starts, which reads it at the end. It is read without a collection,
 * because what the script held is garbage by then. */
void survivors_sample(struct instance *instance)
{
    void *profiler = instance->sampled || instance->sampling ? NULL : profiler_now();

    if (profiler && v8.sample && v8.unsample)
        instance->sampled = v8.sample(profiler, SAMPLE_BYTES, SAMPLE_DEPTH, 0);
}

void survivors_unsample(struct instance *instance)
{
    void *profiler = instance->sampled ? profiler_now() : NULL;

    if (profiler)
        v8.unsample(profiler);
    instance->sampled = false;
}

/* sampled(): 1, if that was begun and has not ended. */
napi_value survivors_sampled(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    const struct instance *instance = instance_called(env, info, &count, arguments);

    (void)napi_create_double(env, instance->sampled, &result);
    return result;
}

/* ---- the snapshot ---- */

/* Calls the function of onSnapshot with the path and the limit. It returns the number of mark(), or
 * 0, if it has written, and anything but a number if it has not. */
static double call(const struct instance *instance, const char *path, uint64_t most)
{
    napi_handle_scope scope;
    napi_value function = NULL, self = NULL, arguments[2], result = NULL;
    double number = -1;

    if (napi_open_handle_scope(instance->env, &scope) != 0)
        return number;
    if (napi_get_reference_value(instance->env, instance->on_snapshot, &function) != 0 || !function ||
        napi_get_global(instance->env, &self) != 0 ||
        napi_create_string_utf8(instance->env, path, strlen(path), &arguments[0]) != 0 ||
        napi_create_double(instance->env, (double)most, &arguments[1]) != 0 ||
        napi_make_callback(instance->env, instance->context, self, function, 2, arguments, &result) !=
            0 ||
        napi_get_value_double(instance->env, result, &number) != 0)
        number = -1;
    (void)napi_close_handle_scope(instance->env, scope);
    return number;
}

/* What a snapshot adds to the heap, or removes, is not the program's: before it writes, V8 makes
 * all collections that it can, and drops code that has not run for long. The program is paused. */
static bool take(void *data, const char *path, uint64_t most, uint32_t *since)
{
    struct instance *instance = data;
    uint64_t full, before, after;
    double number;

    if (!instance->on_snapshot || (most > 0 && instance->asked && instance->kept > most))
        return false;
    (void)probe->js_collections(&full);
    before = instance_measure(instance);
    number = call(instance, path, most);
    after = before ? instance_measure(instance) : 0;
    if (after)
        instance->own += (int64_t)(after - before);
    instance_disown(instance, full);
    *since = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
    return number >= 0;
}

/* onSnapshot(function): it is called when the doctor requests a snapshot. */
napi_value survivors_on_snapshot(napi_env env, napi_callback_info info)
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
