/* turning.c - turns of the event loop, and the adapter's work between two of them. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define RISES_NEEDED 2  /* so many rises in a row start the search for who makes the objects … */
#define RISE_NEEDED  131072 /* … if they are this many bytes together, and the last is half of the mean */
#define RISE_MUCH    524288 /* bytes; one such rise is enough: warming up is slower */
#define RISE_LASTS   2  /* a heap that warms up rises less and less */
#define CHECK_NS     500000000u /* until the first check whether it still rises; then twice as long */
#define CHECK_MOST   (16ull * CHECK_NS)
#define CALL_SHARE   20 /* the search may take this part of the time: 1/20 */
#define SETTLED      16384 /* bytes; less is not measured again */
#define CEASED_NS    300000000u /* a heap that has not risen for this long is no longer suspected */

/* Functions of libuv, found by name: each turn calls us once, after its wait. The handle does not
 * keep the loop alive. */
static struct {
    size_t (*handle_size)(int);
    int (*init)(struct uv_loop_s *, void *);
    int (*start)(void *, void (*)(void *));
    void (*unref)(void *);
    void (*close)(void *, void (*)(void *));
} uv;
#define IDLE_TURNS 64 /* in a row: the program has nothing to do */
#define UV_CHECK 2 /* enum uv_handle_type: unknown, async, check */

/* The first member of every libuv handle belongs to its user. NULL: the environment is gone. */
static struct instance **instance_of(void *handle)
{
    return handle;
}

/* True if V8 was asked for more than usual. */
static bool call_on_rises(struct instance *instance)
{
    napi_handle_scope scope;
    const double span = (double)(now_ns() - instance->made_since) / 1e9;
    const double made_per_second = (double)instance->made / span;
    napi_value function = NULL, self = NULL, arguments[2], result;
    double more_than_usual = 0;

    if (napi_open_handle_scope(instance->env, &scope) != 0)
        return false;
    if (napi_get_reference_value(instance->env, instance->on_rises, &function) == 0 && function &&
        napi_create_double(instance->env, instance->rises, &arguments[0]) == 0 &&
        napi_create_double(instance->env, made_per_second, &arguments[1]) == 0 &&
        napi_get_global(instance->env, &self) == 0 &&
        napi_make_callback(instance->env, instance->context, self, function, 2, arguments, &result) == 0)
        (void)napi_get_value_double(instance->env, result, &more_than_usual);
    (void)napi_close_handle_scope(instance->env, scope);
    return more_than_usual > 0;
}

/* The first call ends with a full collection, as did the work before it. */
static void measure_own(struct instance *instance)
{
    uint64_t full, used, external;

    (void)probe->js_collections(&full);
    if (full > instance->full && probe->js_heap(&used, &external))
        instance->own = (int64_t)(used - instance->kept);
}

/* The first answers make V8 keep tables of the lines of all scripts in them, half a megabyte if
 * Node's own are among them. V8 collects before it answers; the heap is measured again after each
 * answer, until that adds less than SETTLED. */
static void measure_more(struct instance *instance)
{
    const uint64_t before = probe->js_kept();
    uint64_t full, after;

    (void)probe->js_collections(&full);
    if (!instance->settling || full == instance->full)
        return;
    after = instance_measure(instance);
    instance->settling = after > before + SETTLED;
    instance->own += after > before && before > 0 ? (int64_t)(after - before) : 0;
}

/* Sampling costs the program a tenth of its time or more, so it ends when it is not needed. */
static bool has_ceased(const struct instance *instance, uint64_t now)
{
    return instance->sampling && instance->rises == 0 && now - instance->risen > CEASED_NS;
}

static bool is_suspect(const struct instance *instance)
{
    const uint64_t all = instance->rises ? instance->kept - instance->rise_base : 0;

    return instance->rise >= RISE_MUCH ||
           (instance->rises >= RISES_NEEDED && all >= RISE_NEEDED &&
            instance->rise * instance->rises * RISE_LASTS >= all);
}

/* Sampling continues only while the heap rises. If V8 has no reason to collect, a collection is
 * requested, more and more rarely, if the doctor has requested one before. */
static void check_rises(struct instance *instance)
{
    if (!instance->sampling || !instance->asked || now_ns() < instance->check_at)
        return;
    if (instance->full == instance->reported_full)
        (void)probe->js_collect();
    instance->check_wait = instance->check_wait < CHECK_MOST ? 2 * instance->check_wait : CHECK_MOST;
    instance->check_at = now_ns() + instance->check_wait;
}

static void note_sampling(struct instance *instance)
{
    const bool before = instance->sampling;

    instance->sampling = instance->rises > 0;
    if (!instance->sampling || before)
        return;
    instance->settling = true;
    instance->check_wait = CHECK_NS;
    instance->check_at = now_ns() + CHECK_NS;
}

/* Each time the heap has risen again, and once when it has stopped, within 1/CALL_SHARE of the
 * time. JavaScript then makes a full collection, which is not counted. */
static void report_rises(struct instance *instance)
{
    const uint64_t began = now_ns();
    bool before, unusual;

    if (!instance->on_rises || instance->full == instance->reported_full || began < instance->silent_until ||
        !(is_suspect(instance) || has_ceased(instance, began)))
        return;
    before = probe->js_quiet(true);
    snapshot_stops(instance);
    unusual = call_on_rises(instance);
    note_sampling(instance);
    (void)probe->js_quiet(before);
    instance->settling |= unusual;
    if (instance->begun)
        measure_more(instance);
    else
        measure_own(instance);
    instance->begun = true;
    instance_disown(instance, instance->full);
    instance->reported_full = instance->full;
    instance->silent_until = now_ns() + CALL_SHARE * (now_ns() - began);
}

/* onRises(function): it is called when each of the latest full collections left more than the one
 * before. */
napi_value turning_on_rises(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], name;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    if (count < 1 || instance->on_rises ||
        napi_create_string_utf8(env, "tare", 4, &name) != 0 ||
        napi_async_init(env, NULL, name, &instance->context) != 0)
        return NULL;
    (void)napi_create_reference(env, arguments[0], 1, &instance->on_rises);
    return NULL;
}

/* While a device is awaited, its library turns the loop at full speed to poll it. Such turns are
 * not steps of the program. */
static bool is_own(struct instance *instance)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const double before = instance->worked;

    if (!instance->syncing || !instance->counts)
        return false;
    instance->worked = instance->counts[COUNT_WORKED];
    instance->idle = instance->worked == before ? instance->idle + 1 : 0;
    if (instance->idle > IDLE_TURNS)
        (void)nanosleep(&moment, NULL); /* without our request the loop would sleep here */
    return instance->idle > 0;
}

static void turned(void *handle)
{
    struct instance *instance = *instance_of(handle);

    if (instance && !is_own(instance)) {
        dropped_tick(instance);
        asking_tick(instance);
        survivors_unsample(instance); /* from now on JavaScript does it */
        probe->tick(CLOCK_turn); /* what the adapter allocates must not look like work */
        instance_look_around(instance);
        check_rises(instance);
        report_rises(instance);
        scripts_look(instance);
    }
}

void turning_leave(const struct instance *instance)
{
    if (instance->turning)
        *instance_of(instance->turning) = NULL;
}

/* The loop of a worker must be empty when it ends: the handle is closed, and the end waits for
 * that. While it closes, its user pointer is the hook. */
static void closed(void *handle)
{
    (void)napi_remove_async_cleanup_hook(*(napi_async_cleanup_hook_handle *)handle);
    free(handle);
}

static void close_turning(napi_async_cleanup_hook_handle hook, void *handle)
{
    struct instance *instance = *instance_of(handle);

    if (instance)
        instance->turning = NULL;
    *(napi_async_cleanup_hook_handle *)handle = hook;
    uv.close(handle, closed);
}

static bool find_uv(void)
{
    return find("uv_handle_size", &uv.handle_size) && find("uv_check_init", &uv.init) &&
           find("uv_check_start", &uv.start) && find("uv_unref", &uv.unref) &&
           find("uv_close", &uv.close);
}

/* The loop of the main thread is never closed. */
napi_value turning_begin(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    struct uv_loop_s *loop = NULL;
    void *handle;

    if (instance->turning || !find_uv() || napi_get_uv_event_loop(env, &loop) != 0)
        return NULL;
    handle = calloc(1, uv.handle_size(UV_CHECK));
    if (!handle || uv.init(loop, handle) != 0) {
        free(handle);
        return NULL;
    }
    instance->turning = handle;
    *instance_of(handle) = instance;
    uv.unref(handle);
    if (!instance->is_worker ||
        napi_add_async_cleanup_hook(env, close_turning, handle, NULL) == 0)
        (void)uv.start(handle, turned);
    return NULL;
}

/* No JavaScript may run, but sizes are read. */
void turning_midway(struct instance *instance)
{
    instance_look_around(instance);
    if (is_suspect(instance))
        survivors_sample(instance);
}

/* over(): the program has run its last line. */
napi_value turning_over(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;

    asking_leave(instance_called(env, info, &count, arguments));
    probe->js_work_over();
    return NULL;
}
