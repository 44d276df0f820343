/* loading.c - wrap process.dlopen in a function that is native like itself.
 *
 * What the libraries of an add-on allocate while they are loaded is counted and not sampled,
 * because their stacks, each seen once, would fill the table. A JavaScript wrapper would appear on
 * the stacks of errors that loading throws; a native one does not.
 */
#include <string.h>

#include "instance.h"

#define GIVEN_MOST 8 /* arguments; Node's takes three */

/* The last part of a path, as far as it fits; "" if there is none. */
static void base_name(napi_env env, size_t count, const napi_value *arguments, size_t at,
                      char out[TEXT_BYTES])
{
    const char *slash;

    if (!instance_text(env, count, arguments, at, out))
        out[0] = 0;
    slash = strrchr(out, '/');
    if (slash)
        memmove(out, slash + 1, strlen(slash));
}

static void report(napi_env env, const struct loading *loading, const char *name)
{
    napi_value met = NULL, self = NULL, argument, result;

    if (name[0] && napi_get_reference_value(env, loading->met, &met) == 0 && met &&
        napi_get_global(env, &self) == 0 &&
        napi_create_string_utf8(env, name, strlen(name), &argument) == 0)
        (void)napi_call_function(env, self, met, 1, &argument, &result);
}

/* Its exceptions are passed on. */
static napi_value js_dlopen(napi_env env, napi_callback_info info)
{
    napi_value given[GIVEN_MOST], self = NULL, dlopen = NULL, result = NULL;
    size_t count = GIVEN_MOST;
    void *data = NULL;
    const struct loading *loading;
    char name[TEXT_BYTES];
    bool before;

    if (napi_get_cb_info(env, info, &count, given, &self, &data) != 0 || !data)
        return NULL;
    loading = data;
    count = count < GIVEN_MOST ? count : GIVEN_MOST;
    if (napi_get_reference_value(env, loading->dlopen, &dlopen) != 0 || !dlopen)
        return NULL;
    base_name(env, count, given, 1, name);
    before = probe->js_quiet(true);
    if (napi_call_function(env, self, dlopen, count, given, &result) != 0) {
        (void)probe->js_quiet(before);
        return NULL;
    }
    (void)probe->js_quiet(before);
    report(env, loading, name);
    return result;
}

/* around(dlopen, met): the function that replaces it. It lives as long as the environment. */
napi_value loading_around(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    struct loading *loading = &instance->loading;

    if (count < 2 || loading->dlopen ||
        napi_create_reference(env, arguments[0], 1, &loading->dlopen) != 0 ||
        napi_create_reference(env, arguments[1], 1, &loading->met) != 0 ||
        napi_create_function(env, "dlopen", 6, js_dlopen, loading, &result) != 0)
        return count > 0 ? arguments[0] : NULL;
    return result;
}
