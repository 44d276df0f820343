/* ending.c - notice when the listeners of 'exit' are done, without being one of them.
 *
 * Node announces the end with process.emit('exit'). For that call tare.cjs puts a native function
 * in front of the real `emit`. It calls the real one; when that returns, all listeners are done. A
 * native function does not appear on the stack of an error.
 */
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define GIVEN_USUAL 8 /* arguments of an event; more need memory for the call */

static bool real_emit(napi_env env, const struct ending *ending, napi_value *emit)
{
    napi_value real = NULL;

    return napi_get_reference_value(env, ending->real, &real) == 0 && real &&
           napi_get_named_property(env, real, "emit", emit) == 0;
}

static bool is_exit(napi_env env, size_t count, const napi_value *given)
{
    char name[8] = "";
    size_t length = 0;

    return count > 0 && napi_get_value_string_utf8(env, given[0], name, sizeof(name), &length) == 0 &&
           strcmp(name, "exit") == 0;
}

/* An exception of a listener is passed on; the program is not over then. */
static napi_value emit_and_report(napi_env env, const struct ending *ending, napi_value self, size_t count,
                                const napi_value *given)
{
    napi_value emit, over = NULL, result = NULL, ignored;

    if (!real_emit(env, ending, &emit) ||
        napi_call_function(env, self, emit, count, given, &result) != 0)
        return NULL;
    if (is_exit(env, count, given) && napi_get_reference_value(env, ending->over, &over) == 0 && over)
        (void)napi_call_function(env, self, over, 0, NULL, &ignored);
    return result;
}

static napi_value js_emit(napi_env env, napi_callback_info info)
{
    napi_value usual[GIVEN_USUAL], *given = usual, self = NULL, result;
    size_t count = GIVEN_USUAL;
    void *ending = NULL;

    if (napi_get_cb_info(env, info, &count, usual, &self, &ending) != 0 || !ending)
        return NULL;
    if (count > GIVEN_USUAL) {
        given = calloc(count, sizeof(napi_value));
        if (!given || napi_get_cb_info(env, info, &count, given, &self, &ending) != 0) {
            free(given);
            return NULL;
        }
    }
    result = emit_and_report(env, ending, self, count, given);
    if (given != usual)
        free(given);
    return result;
}

/* emitter(real, over): a function that calls real.emit, and `over` after each `exit`; undefined if
 * it cannot be made. It lives as long as the environment. */
napi_value ending_emitter(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS], result = NULL;
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);
    struct ending *ending = &instance->ending;

    if (count < 2 || ending->real || napi_create_reference(env, arguments[0], 1, &ending->real) != 0 ||
        napi_create_reference(env, arguments[1], 1, &ending->over) != 0 ||
        napi_create_function(env, "emit", 4, js_emit, ending, &result) != 0)
        return NULL;
    return result;
}
