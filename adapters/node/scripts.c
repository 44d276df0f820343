/* scripts.c - pass the text of scripts that are in no file to the probe. */
#include <stdlib.h>
#include <string.h>

#include "instance.h"

/* A text of any length; NULL: it is not a text. The caller frees it. */
static char *whole_text(napi_env env, napi_value value, size_t *length)
{
    char *text = NULL;

    if (napi_get_value_string_utf8(env, value, NULL, 0, length) == 0)
        text = malloc(*length + 1);
    if (text && napi_get_value_string_utf8(env, value, text, *length + 1, length) == 0)
        return text;
    free(text);
    return NULL;
}

/* script(number, name, text): V8's number and name of the script, and its text. */
napi_value scripts_keep(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count, name_length, length;
    char *name, *text;

    (void)instance_called(env, info, &count, arguments);
    if (count < 3)
        return NULL;
    name = whole_text(env, arguments[1], &name_length);
    text = whole_text(env, arguments[2], &length);
    if (name && text)
        probe->js_script_keep((uint32_t)instance_number(env, count, arguments, 0), name, text, length);
    free(name);
    free(text);
    return NULL;
}

static void call(struct instance *instance)
{
    napi_handle_scope scope;
    napi_value function = NULL, self = NULL, result;

    if (napi_open_handle_scope(instance->env, &scope) != 0)
        return;
    if (napi_get_reference_value(instance->env, instance->on_scripts, &function) == 0 && function &&
        napi_get_global(instance->env, &self) == 0)
        (void)napi_make_callback(instance->env, instance->context, self, function, 0, NULL, &result);
    (void)napi_close_handle_scope(instance->env, scope);
}

/* Between two turns of the event loop, when no code of the program runs. V8 then keeps tables of
 * the lines of all scripts, megabytes for large ones; they are subtracted from the size of its
 * heap. */
void scripts_look(struct instance *instance)
{
    uint64_t full, first, after;
    bool before;

    if (!instance->on_scripts || !instance->context || !probe->js_script_wanted())
        return;
    (void)probe->js_collections(&full);
    first = instance->asked ? instance_measure(instance) : 0;
    before = probe->js_quiet(true);
    call(instance);
    (void)probe->js_quiet(before);
    after = first ? instance_measure(instance) : 0;
    instance->own += after ? (int64_t)(after - first) : 0;
    instance_disown(instance, full);
}

/* onScripts(function): it is called when a stack names a script that may be in no file. */
napi_value scripts_on_wanted(napi_env env, napi_callback_info info)
{
    napi_value arguments[ARGUMENTS];
    size_t count;
    struct instance *instance = instance_called(env, info, &count, arguments);

    if (count > 0 && !instance->on_scripts)
        (void)napi_create_reference(env, arguments[0], 1, &instance->on_scripts);
    return NULL;
}
