/* survivors.c - what is alive in the heap: by the function that made it, and by age.
 *
 * V8 numbers the objects of its heap on request, each once; later objects have greater numbers. So
 * a snapshot (snapshot.c) shows what was made after the first suspicion. The functions of V8 that do this are
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

static bool find_v8(void)
{
    if (!v8.looked) {
        v8.looked = true;
        (void)find("_ZN2v87Isolate13TryGetCurrentEv", &v8.isolate);
        (void)find("_ZN2v87Isolate15GetHeapProfilerEv", &v8.profiler);
        (void)find("_ZN2v812HeapProfiler24StartTrackingHeapObjectsEb", &v8.start);
        (void)find("_ZN2v812HeapProfiler12GetHeapStatsEPNS_12OutputStreamEPl", &v8.statistics);
        (void)find("_ZN2v812HeapProfiler23StopTrackingHeapObjectsEv", &v8.stop);
        (void)find("_ZN2v812HeapProfiler14ClearObjectIdsEv", &v8.clear);
        (void)find("_ZN2v812HeapProfiler25StartSamplingHeapProfilerEmiNS0_13SamplingFlagsE", &v8.sample);
        (void)find("_ZN2v812HeapProfiler24StopSamplingHeapProfilerEv", &v8.unsample);
    }
    return v8.isolate && v8.profiler && v8.start && v8.statistics && v8.stop && v8.clear;
}

static void *profiler_now(void)
{
    void *isolate = find_v8() ? v8.isolate() : NULL;

    return isolate ? v8.profiler(isolate) : NULL;
}

/* mark(): numbers all live objects; returns the greatest number, 0: it was not done, because it could not be
 * or would stop the program for too long. */
napi_value survivors_mark(napi_env env, napi_callback_info info)
{
    const void *stream = &stream_functions;
    void *profiler = profiler_now();
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    const uint64_t worked = worked_ns(), began = now_ns();
    uint32_t last = 0;

    if (profiler && snapshot_may_mark(instance)) {
        v8.start(profiler, false);
        last = v8.statistics(profiler, &stream, NULL);
        v8.stop(profiler);
        snapshot_marked(instance, worked_ns() - worked, now_ns() - began);
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
