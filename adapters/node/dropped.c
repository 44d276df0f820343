/* dropped.c - what is needed to try a remedy: collections on demand, and which objects they took.
 *
 * A FinalizationRegistry reports a dead object in a later turn of the event loop, which a loop
 * without a wait never reaches. A weak reference of Node-API is empty as soon as the collection is
 * over, so dropped objects are known within the turn. None of this exists in an ordinary run.
 */
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define MOST     (1u << 24) /* objects followed at a time; more are ignored */
#define AT_ONCE  65536      /* reported by one call; the rest by the next */
#define SHARE    1          /* --try gc: a collection, then as much time again without one */

struct followed {
    napi_ref reference; /* weak, owned; NULL: a free place */
    size_t next;        /* of a free place: the next free one + 1 */
};

static bool make_room(struct instance *instance)
{
    const size_t room = instance->followed_room ? 2 * instance->followed_room : 1024;
    struct followed *grown;

    if (instance->followed_count < instance->followed_room)
        return true;
    if (room > MOST)
        return false;
    grown = realloc(instance->followed, room * sizeof(*grown));
    if (!grown)
        return false;
    instance->followed = grown;
    instance->followed_room = room;
    return true;
}

static bool is_followed(const struct instance *instance, size_t at)
{
    return at < instance->followed_count && instance->followed[at].reference;
}

static void stop_following(struct instance *instance, size_t at)
{
    (void)napi_delete_reference(instance->env, instance->followed[at].reference);
    instance->followed[at] = (struct followed){.next = instance->followed_free};
    instance->followed_free = at + 1;
}

/* follow(object): the number that dropped() returns when it has been collected; 0: it is not
 * followed. */
napi_value dropped_follow(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count, place = 0;
    struct instance *instance = instance_called(env, info, &count, arguments);
    napi_ref reference;

    if (count > 0 && (instance->followed_free || make_room(instance)) &&
        napi_create_reference(env, arguments[0], 0, &reference) == 0) {
        place = instance->followed_free ? instance->followed_free : ++instance->followed_count;
        if (instance->followed_free)
            instance->followed_free = instance->followed[place - 1].next;
        instance->followed[place - 1] = (struct followed){.reference = reference};
    }
    (void)napi_create_double(env, (double)place, &result);
    return result;
}

/* unfollow(number) */
napi_value dropped_unfollow(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count, place;
    struct instance *instance = instance_called(env, info, &count, arguments);

    place = (size_t)instance_number(env, count, arguments, 0);
    if (place > 0 && is_followed(instance, place - 1))
        stop_following(instance, place - 1);
    return NULL;
}

static bool is_dropped(const struct instance *instance, size_t at)
{
    napi_handle_scope scope;
    napi_value value = NULL;

    if (!is_followed(instance, at) || napi_open_handle_scope(instance->env, &scope) != 0)
        return false;
    if (napi_get_reference_value(instance->env, instance->followed[at].reference, &value) != 0)
        value = NULL;
    (void)napi_close_handle_scope(instance->env, scope);
    return value == NULL;
}

/* dropped(): the numbers of the objects that have been collected, which are not followed any more;
 * undefined when there was no full collection since the last call. */
napi_value dropped_list(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], list = NULL, number;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    uint32_t listed = 0;
    uint64_t full;

    (void)probe->js_collections(&full);
    if (full == instance->followed_full || napi_create_array_with_length(env, 0, &list) != 0)
        return NULL;
    for (size_t i = 0; i < instance->followed_count && listed < AT_ONCE; i++) {
        if (!is_dropped(instance, i))
            continue;
        stop_following(instance, i);
        if (napi_create_double(env, (double)(i + 1), &number) == 0)
            (void)napi_set_element(env, list, listed++, number);
    }
    if (listed < AT_ONCE)
        instance->followed_full = full;
    return list;
}

/* collect(): how many milliseconds it took. */
napi_value dropped_collect(napi_env env, napi_callback_info info)
{
    const uint64_t began = now_ns();
    napi_value result = NULL;

    (void)info;
    (void)probe->js_collect();
    (void)napi_create_double(env, (double)(now_ns() - began) / 1e6, &result);
    return result;
}

void dropped_begin(struct instance *instance)
{
    const char *remedy = getenv("TARE_TRY");

    instance->collecting = remedy && strcmp(remedy, "gc") == 0;
}

void dropped_tick(struct instance *instance)
{
    const uint64_t began = instance->collecting ? now_ns() : 0;

    if (!instance->collecting || began < instance->collect_after)
        return;
    (void)probe->js_collect();
    instance->collect_after = now_ns() + SHARE * (now_ns() - began);
}

/* The environment is gone, and so are its references. */
void dropped_release(struct instance *instance)
{
    free(instance->followed);
}
