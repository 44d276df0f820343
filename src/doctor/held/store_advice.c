/* store_advice.c - see store_advice.h. */
#include "doctor/held/store_advice.h"

#include <stdio.h>
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

static bool is_default(const struct holder_step *step)
{
    return step->kind == OWNER_DEFAULT;
}

static bool is_tensor_type(const char *type)
{
    return text_has(type, "Tensor") || text_has(type, "Parameter");
}

/* The variable is a tuple of tensors, such as the state of an LSTM. The graph has tuples of its own. */
static bool is_tuple_of_tensors(const struct finding *finding)
{
    if (!text_is(finding->store->type, "tuple"))
        return false;
    for (size_t i = 1; i + 1 < finding->holder_count && !is_graph(&finding->holder_path[i]); i++)
        if (text_is(finding->holder_path[i].type, "tuple"))
            return is_tensor_type(finding->holder_path[i + 1].type);
    return false;
}

/* The stored value is an exception whose own traceback holds the block. */
static bool is_error_itself(const struct finding *finding)
{
    for (size_t i = 1; i < finding->holder_count; i++)
        if (is_traceback(&finding->holder_path[i]))
            return finding->store->value[0] &&
                   text_is(finding->holder_path[i - 1].type, finding->store->value);
    return false;
}

/* What an exception was raised from keeps a traceback of its own, and may be the next to hold the block:
 * only the text of an exception surely holds nothing. */
static bool is_cause(const struct holder_step *step)
{
    return text_is(step->name, "__context__") || text_is(step->name, "__cause__");
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

static bool is_type(const struct finding *finding, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_is(finding->store->type, names[i]))
            return true;
    return false;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static enum remedy_name for_register(const struct finding *finding)
{
    if (text_has(finding->store->head, "hook"))
        return REMEDY_remove_hook;
    if (text_has(finding->store->head, ".addHandler("))
        return REMEDY_remove_handler;
    return REMEDY_register_once;
}

/* Its newest elements are its last ones, and the source does not count them from the start. */
static bool is_list(const struct finding *finding)
{
    static const char *const types[] = {"list", "bytearray"};
    static const char *const adding[] = {"append", "extend", "+="};

    return is_type(finding, types, COUNT(types)) && is_operation(finding, adding, COUNT(adding)) &&
           !finding->store->indexed;
}

/* Both changes are at the same lines. */
static bool may_be_bound_too(const struct finding *finding)
{
    const struct fix_span *change = &finding->store->spans[FIX_change];
    const struct fix_span *follow = &finding->store->spans[FIX_follow];

    return is_list(finding) && change->where == FIX_REPLACE && follow->where == FIX_AFTER &&
           change->first == follow->first;
}

/* A limit for the container, by its type. One whose type is not known gets no code. */
static enum remedy_name for_size(const struct finding *finding)
{
    static const char *const mappings[] = {"dict", "defaultdict", "OrderedDict", "Counter",
                                           "WeakKeyDictionary", "WeakValueDictionary"};
    static const char *const queues[] = {"Queue", "SimpleQueue"};
    static const char *const adding[] = {"append", "extend", "+="};
    static const char *const putting[] = {"put", "put_nowait"};
    const struct store *store = finding->store;

    if (is_operation(finding, putting, COUNT(putting)))
        return is_type(finding, queues, COUNT(queues)) && !store->removed ? REMEDY_bound_queue
                                                                          : REMEDY_bound_queue_words;
    if (is_type(finding, mappings, COUNT(mappings)))
        return REMEDY_bound_mapping;
    if (is_list(finding))
        return REMEDY_bound_list;
    if (text_is(store->type, "deque") && is_operation(finding, adding, COUNT(adding)) && !store->indexed)
        return REMEDY_bound_deque;
    if (is_one(finding, "add"))
        return text_is(store->type, "set") && !store->removed ? REMEDY_discard : REMEDY_discard_words;
    return REMEDY_bound_words;
}

/* For a variable that is computed from its own old value. */
static enum remedy_name for_history(const struct finding *finding, bool graph)
{
    static const char *const sequences[] = {"list", "tuple", "str", "bytes", "ndarray", "Tensor"};

    if (graph && is_tuple_of_tensors(finding))
        return REMEDY_cut_histories;
    if (graph && !is_tensor_type(finding->store->type))
        return REMEDY_keep_no_graph;
    if (graph)
        return finding->store->joins ? REMEDY_cut_history_bound : REMEDY_cut_history;
    return finding->store->joins && is_type(finding, sequences, COUNT(sequences)) ? REMEDY_bound_sequence
                                                                                  : REMEDY_shrink_variable;
}

/* For a variable, or an attribute that is set. What is detached is what the next step needs: a loss
 * that leads to it may be needed for backward(). */
static enum remedy_name for_variable(const struct finding *finding, bool graph)
{
    if (finding->store->again)
        return for_history(finding, graph);
    if (graph && finding->store->carried)
        return REMEDY_cut_carried;
    if (graph)
        return is_one(finding, "attribute") && !finding->store->graph &&
                       is_tensor_type(finding->store->value)
                   ? REMEDY_keep_detached
                   : REMEDY_keep_no_graph;
    return REMEDY_forget_attribute;
}

/* For a tensor with its graph in a container. */
static enum remedy_name for_graph(const struct finding *finding)
{
    const struct store *store = finding->store;
    const bool bound = may_be_bound_too(finding);

    if (store->graph || !is_tensor_type(store->value))
        return for_size(finding);
    if (store->slice)
        return bound ? REMEDY_keep_detached_part_bound : REMEDY_keep_detached_part;
    if (store->single && !store->object)
        return REMEDY_keep_number;
    return bound && !store->single ? REMEDY_keep_detached_bound : REMEDY_keep_detached;
}

static enum remedy_name for_error(const struct finding *finding, size_t from)
{
    if (!finding->store->object)
        return REMEDY_keep_error_text;
    return is_error_itself(finding) && !any_step(finding, from, is_cause) ? REMEDY_drop_traceback
                                                                          : for_size(finding);
}

static enum remedy_name for_container(const struct finding *finding, bool graph)
{
    const struct store *store = finding->store;
    const bool known = store->stored[0] && (store->head[0] || store->tail[0]);
    const size_t from = finding->holder_growing < finding->holder_count ? finding->holder_growing : 0;

    if (known && graph)
        return for_graph(finding);
    if (known && finding->holder_count == 0 && store->single && !store->object && !store->graph)
        return REMEDY_keep_number_perhaps;
    if (known && any_step(finding, from, is_traceback))
        return for_error(finding, from);
    if (known && store->slice && is_tensor_type(store->value))
        return may_be_bound_too(finding) ? REMEDY_copy_tensor_slice_bound : REMEDY_copy_tensor_slice;
    if (known && store->slice && text_has(store->value, "ndarray"))
        return REMEDY_copy_array_slice;
    if (any_step(finding, 0, is_default))
        return REMEDY_drop_default;
    return for_size(finding);
}

/* ---- what is known of a library ---- */

static const struct {
    const char *holder, *operation, *calls;
    enum remedy_name remedy;
} libraries[] = {
#define LIBRARY(name, holder, operation, calls, where, text, code) {holder, operation, calls, REMEDY_##name},
#include "doctor/facts/libraries.def"
#undef LIBRARY
};

static bool is_of(const struct finding *finding, const char *holder)
{
    for (size_t i = 0; i < finding->holder_count; i++)
        if (text_has(finding->holder_path[i].type, holder) || text_is(finding->holder_path[i].name, holder))
            return true;
    return false;
}

/* It calls one of these functions, or it does not matter which. */
static bool is_call_of(const struct finding *finding, const char *calls)
{
    char name[64];

    if (!calls[0])
        return true;
    return finding->store->called &&
           snprintf(name, sizeof(name), " %s ", finding->store->called) < (int)sizeof(name) &&
           text_has(calls, name);
}

/* REMEDY_none: nothing is known. */
static enum remedy_name for_library(const struct finding *finding)
{
    for (size_t i = 0; i < COUNT(libraries); i++)
        if (is_of(finding, libraries[i].holder) &&
            (!libraries[i].operation[0] || is_one(finding, libraries[i].operation)) &&
            is_call_of(finding, libraries[i].calls))
            return libraries[i].remedy;
    return REMEDY_none;
}

static enum remedy_name choose(const struct finding *finding)
{
    static const char *const variables[] = {"variable", "attribute"};
    const bool graph = any_step(finding, 0, is_graph);
    const enum remedy_name library = for_library(finding);

    if (library != REMEDY_none)
        return library;
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
    static const char *const adding[] = {"push", "splice", "variable"};
    static const char *const writing[] = {"write", "end"};
    const char *const type = finding->store->type;

    if (is_one(finding, "on"))
        return REMEDY_script_listener;
    if (is_operation(finding, timers, COUNT(timers)))
        return REMEDY_script_timer;
    if (is_operation(finding, writing, COUNT(writing)))
        return REMEDY_script_stream;
    if (is_one(finding, "set"))
        return REMEDY_script_map;
    if (is_one(finding, "add"))
        return REMEDY_script_set;
    if (text_is(type, "Array"))
        return is_operation(finding, adding, COUNT(adding)) && !finding->store->indexed ? REMEDY_script_array
                                                                                        : REMEDY_objects;
    return is_one(finding, "item") && text_is(type, "Object") ? REMEDY_script_object : REMEDY_objects;
}

enum remedy_name store_advice_script(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 ? choose_script(finding) : finding->advice;
}
