/* store_advice.c - see store_advice.h. */
#include "doctor/held/store_advice.h"

#include <string.h>

#include "base/text.h"
#include "doctor/held/owners.h"

/* ---- the holder's path ---- */

static bool any_step(const struct finding *finding, size_t from,
                     bool (*is)(const struct holder_step *))
{
    for (size_t i = from; i < finding->holder_count; i++)
        if (is(&finding->holder_path[i]))
            return true;
    return false;
}

static bool is_graph(const struct holder_step *step)
{
    return text_is(step->name, "grad_fn") || text_has(step->name, "Backward") ||
           text_has(step->type, "Backward");
}

static bool is_traceback(const struct holder_step *step)
{
    return text_is(step->name, "__traceback__") || text_is(step->type, "traceback");
}

static bool is_tensor(const struct holder_step *step)
{
    return text_has(step->type, "Tensor") || text_has(step->type, "Parameter");
}

static bool is_array(const struct holder_step *step)
{
    return text_has(step->type, "ndarray");
}

static bool is_default(const struct holder_step *step)
{
    return step->kind == OWNER_DEFAULT;
}

static bool is_tuple(const struct holder_step *step)
{
    return text_is(step->type, "tuple");
}

/* ---- the choice ---- */

static bool is_operation(const struct finding *finding, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(finding->store->operation, names[i]) == 0)
            return true;
    return false;
}

static bool is_one(const struct finding *finding, const char *name)
{
    return is_operation(finding, &name, 1);
}

static bool is_mapping(const struct finding *finding)
{
    static const char *const names[] = {"item", "setdefault", "update", "__setitem__"};

    return is_operation(finding, names, sizeof(names) / sizeof(names[0]));
}

static enum remedy_name for_register(const struct finding *finding)
{
    if (text_has(finding->store->head, "hook"))
        return REMEDY_remove_hook;
    if (text_has(finding->store->head, ".addHandler("))
        return REMEDY_remove_handler;
    return REMEDY_register_once;
}

/* For a variable that is computed from its own old value, or an attribute that is set. */
static enum remedy_name for_variable(const struct finding *finding, bool graph)
{
    if (graph && any_step(finding, 0, is_tuple))
        return REMEDY_cut_histories;
    if (graph && finding->store->again)
        return REMEDY_cut_history;
    if (graph)
        return REMEDY_keep_detached;
    if (finding->store->again)
        return REMEDY_shrink_variable;
    return REMEDY_forget_attribute;
}

static enum remedy_name for_container(const struct finding *finding, bool graph)
{
    const struct store *store = finding->store;
    const bool known = store->stored[0] && (store->head[0] || store->tail[0]);
    const size_t from = finding->holder_growing < finding->holder_count ? finding->holder_growing : 0;

    if (known && graph)
        return store->single ? REMEDY_keep_number : REMEDY_keep_detached;
    if (known && finding->holder_count == 0 && store->single)
        return REMEDY_keep_number_perhaps;
    if (known && any_step(finding, from, is_traceback))
        return REMEDY_keep_error_text;
    if (known && store->slice && any_step(finding, from, is_tensor))
        return REMEDY_copy_tensor_slice;
    if (known && store->slice && any_step(finding, from, is_array))
        return REMEDY_copy_array_slice;
    if (any_step(finding, 0, is_default))
        return REMEDY_drop_default;
    if (is_one(finding, "put") || is_one(finding, "put_nowait"))
        return REMEDY_bound_queue;
    if (known && is_one(finding, "add"))
        return REMEDY_discard;
    return is_mapping(finding) ? REMEDY_bound_mapping : REMEDY_bound_list;
}

static enum remedy_name choose(const struct finding *finding)
{
    static const char *const variables[] = {"variable", "attribute"};
    const bool graph = any_step(finding, 0, is_graph);

    if (is_one(finding, "cache"))
        return REMEDY_bound_decorator;
    if (is_one(finding, "call"))
        return REMEDY_call_less;
    if (is_one(finding, "register"))
        return for_register(finding);
    if (is_operation(finding, variables, 2) || (is_one(finding, "item") && finding->store->again))
        return for_variable(finding, graph);
    return for_container(finding, graph);
}

enum remedy_name store_advice(const struct finding *finding)
{
    if (kind_status(finding->kind) == 1)
        return choose(finding);
    if (finding->kind == KIND_gc_lag)
        return finding->endless ? REMEDY_refer_weakly_off : REMEDY_refer_weakly;
    return finding->advice;
}

static enum remedy_name choose_script(const struct finding *finding)
{
    static const char *const timers[] = {"setInterval", "setTimeout", "setImmediate"};
    static const char *const methods[] = {"push", "unshift", "splice"};

    if (is_one(finding, "on"))
        return REMEDY_script_listener;
    if (is_operation(finding, timers, 3))
        return REMEDY_script_timer;
    if (is_one(finding, "set"))
        return REMEDY_script_map;
    if (is_one(finding, "add"))
        return REMEDY_script_set;
    return is_operation(finding, methods, 3) ? REMEDY_script_array : REMEDY_objects;
}

enum remedy_name store_advice_script(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 ? choose_script(finding) : finding->advice;
}
