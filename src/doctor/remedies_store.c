/* remedies_store.c - what to change at the line that stores: chosen by the kind of statement and by
 * the types on the holder's path, written in the names of the source. */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/owners.h"
#include "doctor/remedies.h"

/* ---- filling in ---- */

struct part {
    const char *name, *value;
};

static const struct part *part_at(const struct part *parts, size_t count, const char *at)
{
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(parts[i].name);

        if (strncmp(at, parts[i].name, length) == 0)
            return &parts[i];
    }
    return NULL;
}

static const char *fill(const char *pattern, const struct finding *finding, struct arena *arena)
{
    const struct store *store = finding->store;
    const char *function = finding->stored_at->function ? finding->stored_at->function : "";
    const struct part parts[] = {
        {"{container}", store->container}, {"{key}", store->key},   {"{stored}", store->stored},
        {"{head}", store->head},           {"{tail}", store->tail}, {"{function}", function},
    };
    struct text out = {0};
    const char *kept;

    while (pattern && *pattern) {
        const struct part *part = part_at(parts, sizeof(parts) / sizeof(parts[0]), pattern);

        if (part)
            text_put(&out, part->value);
        else
            text_add(&out, pattern, 1);
        pattern += part ? strlen(part->name) : 1;
    }
    kept = out.length ? arena_text(arena, out.bytes, out.length) : NULL;
    text_free(&out);
    return kept;
}

/* ---- what is on the path ---- */

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
    return strcmp(step->name, "grad_fn") == 0 || strstr(step->name, "Backward") ||
           strstr(step->type, "Backward");
}

static bool is_traceback(const struct holder_step *step)
{
    return strcmp(step->name, "__traceback__") == 0 || strcmp(step->type, "traceback") == 0;
}

static bool is_tensor(const struct holder_step *step)
{
    return strstr(step->type, "Tensor") || strstr(step->type, "Parameter");
}

static bool is_array(const struct holder_step *step)
{
    return strstr(step->type, "ndarray") != NULL;
}

static bool is_default(const struct holder_step *step)
{
    return step->kind == OWNER_DEFAULT;
}

static bool is_tuple(const struct holder_step *step)
{
    return strcmp(step->type, "tuple") == 0;
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
    if (strstr(finding->store->head, "hook"))
        return REMEDY_remove_hook;
    if (strstr(finding->store->head, ".addHandler("))
        return REMEDY_remove_handler;
    return REMEDY_register_once;
}

/* A variable that is made of its own old value, or an attribute that is set. */
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

static void set(struct finding *finding, enum remedy_name name, struct arena *arena)
{
    const struct remedy pattern = remedy_of(name);

    finding->remedy = (struct remedy){.text = fill(pattern.text, finding, arena),
                                      .code = fill(pattern.code, finding, arena),
                                      .setting = pattern.setting};
}

void remedy_for_store(struct finding *finding, struct arena *arena)
{
    if (kind_status(finding->kind) == 1)
        set(finding, choose(finding), arena);
    else if (finding->kind == KIND_gc_lag)
        set(finding, finding->endless ? REMEDY_refer_weakly_off : REMEDY_refer_weakly, arena);
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

void remedy_for_script(struct finding *finding, struct arena *arena)
{
    if (kind_status(finding->kind) == 1)
        set(finding, choose_script(finding), arena);
}
