/* frames.c - an add-on as image and audio libraries are: it decodes into scratch memory, hands out handles
 * to native memory, calls back, and works on the threads of Node's pool. The programs beside it use it as
 * require('frames.node'); `make corpus-node` builds it. Node-API is declared by the adapter's own header.
 */
#include <stdlib.h>
#include <string.h>

#include "napi.h"

typedef struct napi_async_work__ *napi_async_work;
typedef struct napi_deferred__ *napi_deferred;
napi_status napi_create_external(napi_env env, void *data, napi_finalize finalize, void *hint,
                                 napi_value *result);
napi_status napi_create_promise(napi_env env, napi_deferred *deferred, napi_value *promise);
napi_status napi_resolve_deferred(napi_env env, napi_deferred deferred, napi_value value);
napi_status napi_create_async_work(napi_env env, napi_value resource, napi_value name,
                                   void (*execute)(napi_env env, void *data),
                                   void (*complete)(napi_env env, napi_status status, void *data),
                                   void *data, napi_async_work *result);
napi_status napi_queue_async_work(napi_env env, napi_async_work work);
napi_status napi_delete_async_work(napi_env env, napi_async_work work);
napi_value napi_register_module_v1(napi_env env, napi_value exports);

#define TILES 256

static uint32_t first_number(napi_env env, napi_callback_info info)
{
    napi_value argument;
    size_t count = 1;
    uint32_t number = 0;

    if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) == 0 && count == 1)
        (void)napi_get_value_uint32(env, argument, &number);
    return number;
}

static double *decoded(uint32_t count)
{
    double *samples = malloc(count * sizeof(*samples) + 1);

    for (uint32_t i = 0; samples && i < count; i++)
        samples[i] = (double)(i * 2654435761u % 1000);
    return samples;
}

static napi_value as_number(napi_env env, double number)
{
    napi_value result = NULL;

    (void)napi_create_double(env, number, &result);
    return result;
}

static napi_value js_mean(napi_env env, napi_callback_info info)
{
    const uint32_t count = first_number(env, info);
    const double *samples = decoded(count);
    double sum = 0;

    for (uint32_t i = 0; samples && i < count; i++)
        sum += samples[i];
    return as_number(env, count ? sum / count : 0);
}

static napi_value js_highest(napi_env env, napi_callback_info info)
{
    const uint32_t count = first_number(env, info);
    double *samples = decoded(count);
    double most = 0;

    for (uint32_t i = 0; samples && i < count; i++)
        most = samples[i] > most ? samples[i] : most;
    free(samples);
    return as_number(env, most);
}

static void close_frame(napi_env env, void *data, void *hint)
{
    (void)env;
    (void)hint;
    free(data);
}

/* open(count): a handle; its memory goes with it. */
static napi_value js_open(napi_env env, napi_callback_info info)
{
    napi_value result = NULL;

    (void)napi_create_external(env, decoded(first_number(env, info)), close_frame, NULL, &result);
    return result;
}

/* listen(callback): a number for ignore(). */
#define LISTENERS 4096
static napi_ref listeners[LISTENERS];
static uint32_t listening;

static napi_value js_listen(napi_env env, napi_callback_info info)
{
    napi_value callback;
    size_t count = 1;

    if (napi_get_cb_info(env, info, &count, &callback, NULL, NULL) == 0 && listening < LISTENERS)
        (void)napi_create_reference(env, callback, 1, &listeners[listening++]);
    return as_number(env, listening - 1);
}

static napi_value js_ignore(napi_env env, napi_callback_info info)
{
    const uint32_t number = first_number(env, info);

    if (number < listening && listeners[number])
        (void)napi_delete_reference(env, listeners[number]);
    if (number < listening)
        listeners[number] = NULL;
    return NULL;
}

struct scaling {
    napi_async_work work;
    napi_deferred deferred;
    uint32_t size;
};

static char *profiles[TILES]; /* the latest of each tile, of whichever thread */

/* On a thread of the pool. */
static void scale(napi_env env, void *data)
{
    const struct scaling *scaling = data;
    char *tiles[TILES];

    (void)env;
    for (uint32_t i = 0; i < TILES; i++) {
        const size_t size = scaling->size / 2 + (size_t)i * 7919 % scaling->size;

        tiles[i] = malloc(size);
        if (tiles[i])
            memset(tiles[i], 1, size);
        free(__atomic_exchange_n(&profiles[i], calloc(1, 64), __ATOMIC_ACQ_REL));
    }
    for (uint32_t i = 0; i < TILES; i++)
        free(tiles[i]);
}

static void scaled(napi_env env, napi_status status, void *data)
{
    struct scaling *scaling = data;

    (void)napi_resolve_deferred(env, scaling->deferred, as_number(env, status));
    (void)napi_delete_async_work(env, scaling->work);
    free(scaling);
}

/* scale(size): a promise. */
static napi_value js_scale(napi_env env, napi_callback_info info)
{
    struct scaling *scaling = calloc(1, sizeof(*scaling));
    napi_value promise = NULL, name = NULL;

    if (!scaling)
        return NULL;
    scaling->size = first_number(env, info);
    (void)napi_create_promise(env, &scaling->deferred, &promise);
    (void)napi_create_string_utf8(env, "scale", 5, &name);
    (void)napi_create_async_work(env, NULL, name, scale, scaled, scaling, &scaling->work);
    (void)napi_queue_async_work(env, scaling->work);
    return promise;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports)
{
    const napi_property_descriptor functions[] = {
        {.utf8name = "mean", .method = js_mean},     {.utf8name = "highest", .method = js_highest},
        {.utf8name = "open", .method = js_open},     {.utf8name = "listen", .method = js_listen},
        {.utf8name = "ignore", .method = js_ignore}, {.utf8name = "scale", .method = js_scale},
    };

    (void)napi_define_properties(env, exports, sizeof(functions) / sizeof(functions[0]), functions);
    return exports;
}
