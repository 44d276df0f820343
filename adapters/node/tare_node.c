/* tare_node.c - the add-on between JavaScript and the probe: it passes numbers and texts, no more.
 *
 * One instance for each environment (the main thread, every worker). It finds the probe by name in
 * the process; without one its functions do nothing. It never throws, and it prints nothing.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "instance.h"

#define EXPORT __attribute__((visibility("default")))

#define RATE_LEAST    1024.0          /* mean bytes between two sampled tensors, at least */
#define RATE_MOST     (64.0 * 1048576) /* the same, at most */
#define FREE_SAMPLES  2048 /* taken whatever they cost, so that a short run has enough */
#define ROUND_SAMPLES 64   /* the rate is adjusted after so many more */
#define SPEND_MOST    0.01 /* of the time; below a quarter of it the rate is made finer */

const struct tare_adapter *probe;

/* ---- arguments ---- */

struct instance *instance_called(napi_env env, napi_callback_info info, size_t *count,
                               napi_value arguments[ARGUMENTS])
{
    void *instance = NULL;

    *count = ARGUMENTS;
    if (napi_get_cb_info(env, info, count, arguments, NULL, &instance) != 0)
        *count = 0;
    return instance;
}

double instance_number(napi_env env, size_t count, const napi_value *arguments, size_t at)
{
    double number = 0;

    if (at < count)
        (void)napi_get_value_double(env, arguments[at], &number);
    return number > 0 && number < 9e15 ? number : 0;
}

bool instance_text(napi_env env, size_t count, const napi_value *arguments, size_t at,
                    char out[TEXT_BYTES])
{
    size_t length;

    return at < count &&
           napi_get_value_string_utf8(env, arguments[at], out, TEXT_BYTES, &length) == 0;
}

/* The argument of a function that takes one text. */
static bool only_text(napi_env env, napi_callback_info info, char out[TEXT_BYTES])
{
    napi_value arguments[ARGUMENTS];
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    return instance_text(env, count, arguments, 0, out);
}

/* ---- what the collector released ---- */

static void forget(struct instance *instance, size_t at)
{
    (void)napi_delete_reference(instance->env, instance->watched[at].reference);
    instance->watched[at] = instance->watched[--instance->watched_count];
}

/* An object that has been collected has no value any more. */
static bool is_gone(const struct instance *instance, size_t at)
{
    napi_value value = NULL;

    return napi_get_reference_value(instance->env, instance->watched[at].reference, &value) != 0 ||
           !value;
}

static void sweep(struct instance *instance)
{
    napi_handle_scope scope;

    for (size_t i = 0; i < instance->watched_count;) {
        if (napi_open_handle_scope(instance->env, &scope) != 0)
            return;
        if (is_gone(instance, i)) {
            if (probe->js_died(instance->watched[i].number))
                instance->released += instance->watched[i].units;
            forget(instance, i);
        } else {
            i++;
        }
        (void)napi_close_handle_scope(instance->env, scope);
    }
    probe->gauge(GAUGE_tensors_collected, (uint64_t)instance->released);
    if (instance->counts)
        instance->counts[COUNT_RELEASED] = instance->released;
}

void instance_disown(struct instance *instance, uint64_t before)
{
    uint64_t full;

    (void)probe->js_collections(&full);
    instance->own_full += full - before;
    instance->full = full;
}

/* Before a step is reported. */
void instance_look_around(struct instance *instance)
{
    uint64_t full;
    const uint64_t collections = probe->js_collections(&full);

    if (collections != instance->collections) {
        instance->collections = collections;
        sweep(instance);
    }
    sizes_measure(instance, full);
}

/* ---- what JavaScript calls ---- */

static napi_value js_tick(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    dropped_tick(instance);
    asking_tick(instance);
    instance_look_around(instance);
    probe->tick((uint32_t)instance_number(env, count, arguments, 0));
    return NULL;
}

static napi_value js_hello(napi_env env, napi_callback_info info)
{
    char text[TEXT_BYTES];

    if (only_text(env, info, text))
        probe->hello(text);
    return NULL;
}

static napi_value js_note(napi_env env, napi_callback_info info)
{
    char text[TEXT_BYTES];

    if (only_text(env, info, text))
        probe->note(text);
    return NULL;
}

/* 0 on the main thread; on others a number that is unique in the process. */
static napi_value js_thread(napi_env env, napi_callback_info info)
{
    const pid_t self = (pid_t)syscall(SYS_gettid);
    napi_value result = NULL;

    (void)info;
    (void)napi_create_double(env, self == getpid() ? 0 : (double)self, &result);
    return result;
}

static napi_value js_launch(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    probe->js_launch();
    return NULL;
}

static napi_value js_scope_begin(napi_env env, napi_callback_info info)
{
    char text[TEXT_BYTES] = "";

    (void)only_text(env, info, text);
    probe->scope_begin(text);
    return NULL;
}

static napi_value js_scope_end(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    probe->scope_end();
    return NULL;
}

static void watch(struct instance *instance, napi_value object, uint64_t number, double units)
{
    napi_ref reference;

    if (instance->watched_count == instance->watched_room) {
        const size_t room = instance->watched_room ? 2 * instance->watched_room : 256;
        struct watched *grown = realloc(instance->watched, room * sizeof(*grown));

        if (!grown)
            return;
        instance->watched = grown;
        instance->watched_room = room;
    }
    if (napi_create_reference(instance->env, object, 0, &reference) != 0)
        return;
    instance->watched[instance->watched_count++] = (struct watched){reference, number, units};
}

/* Coarser if samples cost too much, finer if they cost little. */
static void set_rate(struct instance *instance, uint64_t began)
{
    const uint64_t now = now_ns();
    double share;

    instance->round_spent += worked_ns() - began;
    if (instance->samples++ < FREE_SAMPLES) {
        instance->round_began = now;
        instance->round_spent = 0;
    }
    if (instance->samples % ROUND_SAMPLES != 0 || now <= instance->round_began)
        return;
    share = (double)instance->round_spent / (double)(now - instance->round_began);
    if (share > SPEND_MOST && instance->rate < RATE_MOST)
        instance->rate *= 2;
    else if (share < SPEND_MOST / 4 && instance->rate > RATE_LEAST)
        instance->rate /= 2;
    instance->round_began = now;
    instance->round_spent = 0;
}

/* stack(): the number of the running stack, for bornAt(). */
static napi_value js_stack(napi_env env, napi_callback_info info)
{
    napi_value result = NULL;

    (void)info;
    (void)napi_create_double(env, (double)probe->js_stack(), &result);
    return result;
}

/* bornAt(kind, number, bytes, weight, stack) */
static napi_value js_born_at(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    probe->js_born((uint32_t)instance_number(env, count, arguments, 0),
                   (uint64_t)instance_number(env, count, arguments, 1),
                   (uint64_t)instance_number(env, count, arguments, 2),
                   (uint64_t)instance_number(env, count, arguments, 3),
                   (uint32_t)instance_number(env, count, arguments, 4));
    return NULL;
}

/* held(number, holder): enum tensor_holder */
static napi_value js_held(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    probe->js_held((uint64_t)instance_number(env, count, arguments, 0),
                   (uint32_t)instance_number(env, count, arguments, 1));
    return NULL;
}

/* quiet(number): 1: allocations from now on are reported in another way. Returns the previous
 * value. */
static napi_value js_quiet(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    (void)napi_create_double(env, probe->js_quiet(instance_number(env, count, arguments, 0) > 0), &result);
    return result;
}

/* tensorflow(): its libraries are loaded now. */
static napi_value js_tensorflow(napi_env env, napi_callback_info info)
{
    (void)env;
    (void)info;
    (void)probe->pool_find();
    return NULL;
}

/* born(kind, number, bytes, weight, object): the object, if given, is watched by a weak reference.
 * Returns the rate for the next sample. */
static napi_value js_born(napi_env env, napi_callback_info info)
{
    const uint64_t began = worked_ns();
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    const uint64_t number = (uint64_t)instance_number(env, count, arguments, 1);

    const double bytes = instance_number(env, count, arguments, 2);
    const double weight = instance_number(env, count, arguments, 3);

    probe->js_born((uint32_t)instance_number(env, count, arguments, 0), number, (uint64_t)bytes,
                   (uint64_t)weight, 0);
    if (count > 4 && bytes > 0)
        watch(instance, arguments[4], number, weight / bytes);
    instance_look_around(instance);
    set_rate(instance, began);
    (void)napi_create_double(env, instance->rate, &result);
    return result;
}

/* Its object may live on; the next sweep ignores it. */
static napi_value js_died(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;

    (void)instance_called(env, info, &count, arguments);
    (void)probe->js_died((uint64_t)instance_number(env, count, arguments, 0));
    return NULL;
}

static void collected(void *data)
{
    struct instance *instance = data;
    uint64_t full;

    if (instance->measuring)
        return;
    sweep(instance);
    if (instance->counts)
        instance->counts[COUNT_COLLECTED]++;
    (void)probe->js_collections(&full);
    sizes_measure(instance, full);
}

static napi_value js_end(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    instance_look_around(instance);
    scripts_look(instance);
    probe->end();
    return NULL;
}

/* ---- the environment ---- */

static void leave(void *data)
{
    struct instance *instance = data;
    const bool rose = instance->rises > 1;

    asking_leave(instance);
    if (instance->is_worker)
        probe->js_worker_over(rose ? instance->rise_base : 0, rose ? instance->kept : 0);
    turning_leave(instance);
    charge_leave(instance);
    if (instance->counters)
        counts_report(NULL);
    probe->js_on_collected(NULL, NULL);
    probe->js_on_snapshot(NULL, NULL);
    probe->js_leave();
}

static void release(napi_env env, void *data, void *hint)
{
    struct instance *instance = data;

    (void)env;
    (void)hint;
    dropped_release(instance);
    free(instance->watched);
    free(instance);
}

/* True: the probe is here, and has all functions that this add-on calls. */
static bool find_probe(void)
{
    probe = dlsym(RTLD_DEFAULT, "tare_adapter");
    return probe && probe->size >= sizeof(*probe);
}

EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports);

/* node --expose-gc */
static void look_for_flag(napi_env env)
{
    napi_value global;
    bool has = false;

    if (napi_get_global(env, &global) == 0 && napi_has_named_property(env, global, "gc", &has) == 0 && has)
        probe->js_exposed();
}

/* Without the probe the exports stay empty. */
EXPORT napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    struct instance *instance = find_probe() ? calloc(1, sizeof(*instance)) : NULL;
    const napi_property_descriptor functions[] = {
#define FUNCTION(name, function) {.utf8name = name, .method = function, .data = instance}
        FUNCTION("tick", js_tick),     FUNCTION("hello", js_hello),
        FUNCTION("note", js_note),     FUNCTION("scopeBegin", js_scope_begin),
        FUNCTION("born", js_born),     FUNCTION("scopeEnd", js_scope_end),
        FUNCTION("died", js_died),     FUNCTION("counters", counts_begin),
        FUNCTION("end", js_end),       FUNCTION("turn", turning_begin),
        FUNCTION("objects", survivors_objects), FUNCTION("onRises", turning_on_rises),
        FUNCTION("mark", survivors_mark), FUNCTION("unmark", survivors_unmark),
        FUNCTION("onSnapshot", snapshot_on_wanted), FUNCTION("writeHeap", snapshot_write),
        FUNCTION("longArrays", snapshot_arrays), FUNCTION("serves", listening_serves),
        FUNCTION("launch", js_launch), FUNCTION("thread", js_thread),
        FUNCTION("stack", js_stack),   FUNCTION("bornAt", js_born_at),
        FUNCTION("held", js_held),     FUNCTION("quiet", js_quiet),   FUNCTION("tensorflow", js_tensorflow),
        FUNCTION("syncing", counts_syncing),
        FUNCTION("follow", dropped_follow), FUNCTION("unfollow", dropped_unfollow),
        FUNCTION("script", scripts_keep), FUNCTION("onScripts", scripts_on_wanted),
        FUNCTION("around", loading_around), FUNCTION("sampled", survivors_sampled),
        FUNCTION("over", turning_over), FUNCTION("emitter", ending_emitter),
        FUNCTION("dropped", dropped_list), FUNCTION("collect", dropped_collect),
#undef FUNCTION
    };

    if (!instance)
        return exports;
    instance->env = env;
    instance->made_since = now_ns();
    instance->is_worker = (pid_t)syscall(SYS_gettid) != getpid();
    instance->rate = RATE_LEAST;
    if (napi_set_instance_data(env, instance, release, NULL) != 0) {
        free(instance);
        return exports;
    }
    probe->js_enter();
    look_for_flag(env);
    dropped_begin(instance);
    probe->js_on_collected(collected, instance);
    if (napi_add_env_cleanup_hook(env, leave, instance) == 0)
        asking_enter(instance);
    (void)napi_define_properties(env, exports, sizeof(functions) / sizeof(functions[0]), functions);
    return exports;
}
