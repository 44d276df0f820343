/* way.c - see way.h. */
#include "snapshot/way.h"
#include "base/text.h"
#include "snapshot/retain_parts.h"

#include <stdio.h>
#include <string.h>

#define SHAPE_NAMES 3 /* properties by which a plain object is described */
#define PREVIOUS_MAX 16

/* What is being described: the path that was found, and its description so far. */
struct tell {
    const struct snapshot *snapshot;
    const struct retain_way *found;
    struct way *out;
};

/* ---- objects ---- */

static const char *name_of(const struct tell *tell, uint32_t node)
{
    return snapshot_node_name(tell->snapshot, node);
}

static const char *edge_of(const struct tell *tell, size_t at)
{
    return snapshot_edge_name(tell->snapshot, tell->found->edges[at]);
}

static enum edge_type type_of(const struct tell *tell, size_t at)
{
    return (enum edge_type)tell->snapshot->edges[tell->found->edges[at]].type;
}

static bool is_number(const char *text)
{
    return text[0] && text[strspn(text, "0123456789")] == 0;
}

static bool starts_with(const char *text, const char *begin)
{
    return strncmp(text, begin, strlen(begin)) == 0;
}

/* "{id, rows, …}" from the properties of a plain object. */
static void put_shape(char out[WAY_TEXT], const struct snapshot *snapshot, uint32_t node)
{
    size_t length = 0, names = 0;

    for (uint32_t e = snapshot->nodes[node].first; e < snapshot->nodes[node + 1].first; e++) {
        const char *name = snapshot_edge_name(snapshot, e);
        int put;

        if (snapshot->edges[e].type != EDGE_PROPERTY || !name[0] || strcmp(name, "__proto__") == 0)
            continue;
        put = snprintf(out + length, WAY_TEXT - length, "%s%.24s", names ? ", " : "{",
                       names == SHAPE_NAMES ? "…" : name);
        length += put > 0 ? (size_t)put : 0;
        if (length > WAY_TEXT - 32 || names++ == SHAPE_NAMES)
            break;
    }
    (void)snprintf(out + length, WAY_TEXT - length, "%s", names ? "}" : "Object");
}

static void put_type(const struct tell *tell, struct way_step *step, uint32_t node)
{
    const struct heap_node *n = &tell->snapshot->nodes[node];
    const char *name = name_of(tell, node);

    if (n->type == NODE_STRING)
        (void)snprintf(step->type, sizeof(step->type), "string");
    else if (n->type == NODE_OBJECT && strcmp(name, "Object") == 0)
        put_shape(step->type, tell->snapshot, node);
    else if (n->type == NODE_CLOSURE)
        (void)snprintf(step->type, sizeof(step->type), "function");
    else
        (void)snprintf(step->type, sizeof(step->type), "%.*s", WAY_TEXT - 1, name);
}

/* ---- functions ---- */

static void put_source(const struct tell *tell, struct way_step *step, uint32_t closure)
{
    const struct snapshot *snapshot = tell->snapshot;
    const uint32_t shared = snapshot_follow(snapshot, closure, EDGE_INTERNAL, "shared");
    const struct heap_place *place = snapshot_place(snapshot, closure);
    uint32_t script = SNAPSHOT_NONE;

    if (shared != SNAPSHOT_NONE)
        for (uint32_t e = snapshot->nodes[shared].first;
             e < snapshot->nodes[shared + 1].first && script == SNAPSHOT_NONE; e++)
            if (starts_with(snapshot_edge_name(snapshot, e), "script"))
                script = snapshot->edges[e].to;
    if (script == SNAPSHOT_NONE)
        return;
    (void)snprintf(step->file, sizeof(step->file), "%s", name_of(tell, script));
    step->line = place ? place->line : 0;
    step->column = place ? place->column : 0;
}

/* The function whose variables a context holds: in the list of its scope, the name after the
 * variables. */
static const char *function_of(const struct tell *tell, uint32_t context)
{
    const struct snapshot *snapshot = tell->snapshot;
    const uint32_t scope = snapshot_follow(snapshot, context, EDGE_INTERNAL, "scope_info");
    const char *name = "";

    if (scope == SNAPSHOT_NONE)
        return name;
    for (uint32_t e = snapshot->nodes[scope].first; e < snapshot->nodes[scope + 1].first; e++) {
        const uint32_t to = snapshot->edges[e].to;

        if (snapshot->edges[e].type == EDGE_OTHER && snapshot->nodes[to].type == NODE_STRING)
            name = name_of(tell, to);
    }
    return snapshot_follow(snapshot, context, EDGE_CONTEXT, name) == SNAPSHOT_NONE ? name : "";
}

static bool is_context(const struct tell *tell, uint32_t node)
{
    return starts_with(name_of(tell, node), "system / Context");
}

/* The variables of a module belong to the outermost function, or to none. */
static bool is_module(const struct tell *tell, uint32_t context)
{
    const uint32_t before = snapshot_follow(tell->snapshot, context, EDGE_INTERNAL, "previous");

    return before == SNAPSHOT_NONE || !is_context(tell, before);
}

/* Any function that sees these variables has the name of their file. */
static void put_file(const struct tell *tell, struct way_step *step, uint32_t context)
{
    const struct snapshot *snapshot = tell->snapshot;

    for (uint32_t e = snapshot->nodes[context].first; e < snapshot->nodes[context + 1].first; e++) {
        const uint32_t to = snapshot->edges[e].to;

        if (snapshot->edges[e].type == EDGE_CONTEXT && snapshot->nodes[to].type == NODE_CLOSURE &&
            snapshot_follow(snapshot, to, EDGE_INTERNAL, "context") == context) {
            put_source(tell, step, to);
            return;
        }
    }
    for (uint32_t node = 0; node < snapshot->node_count; node++)
        if (snapshot->nodes[node].type == NODE_CLOSURE &&
            snapshot_follow(snapshot, node, EDGE_INTERNAL, "context") == context) {
            put_source(tell, step, node);
            return;
        }
}

/* ---- the first step ---- */

static bool is_global(const struct tell *tell, size_t at)
{
    const char *owner = name_of(tell, tell->found->nodes[at - 1]);

    return type_of(tell, at) == EDGE_PROPERTY &&
           (strcmp(owner, "global") == 0 || starts_with(owner, "global /"));
}

static bool is_timer(const struct tell *tell, size_t at)
{
    return snapshot_is_timer(tell->snapshot, tell->found->nodes[at]);
}

/* References from Node and add-ons; each has its own handle. */
static bool is_handles(const struct tell *tell, size_t at)
{
    return strcmp(name_of(tell, tell->found->nodes[at]), "(Global handles)") == 0;
}

static bool is_first(const struct tell *tell, size_t at)
{
    return type_of(tell, at) == EDGE_CONTEXT || is_global(tell, at) || is_timer(tell, at);
}

/* The innermost possible beginning before the object that grows; a list of timers begins with
 * itself. */
static size_t find_first(const struct tell *tell)
{
    size_t at = tell->found->shared > 0 ? tell->found->shared - 1 : 0;

    if (is_handles(tell, at))
        return at;
    while (at > 0 && !is_first(tell, at))
        at--;
    while (at > 1 && is_timer(tell, at) && is_timer(tell, at - 1))
        at--;
    return at;
}

static struct way_step *add(const struct tell *tell, enum way_kind kind, const char *name,
                            uint32_t node)
{
    struct way *out = tell->out;
    struct way_step *step;

    if (out->count == WAY_STEPS)
        return NULL;
    step = &out->steps[out->count++];
    *step = (struct way_step){.kind = kind};
    (void)snprintf(step->name, sizeof(step->name), "%.*s", WAY_TEXT - 1, name);
    put_type(tell, step, node);
    return step;
}

static void tell_variable(const struct tell *tell, size_t at)
{
    const uint32_t context = tell->found->nodes[at - 1];
    const bool module = is_module(tell, context);
    struct way_step *step = add(tell, module ? WAY_VARIABLE : WAY_LOCAL, edge_of(tell, at),
                                tell->found->nodes[at]);

    if (!step)
        return;
    put_file(tell, step, context);
    if (module)
        step->line = 0;
    else
        (void)snprintf(step->function, sizeof(step->function), "%.*s", WAY_TEXT - 1,
                       function_of(tell, context));
}

static void tell_first(const struct tell *tell, size_t at)
{
    const uint32_t node = tell->found->nodes[at];

    if (at == 0)
        (void)add(tell, WAY_ROOT, "", node);
    else if (is_handles(tell, at))
        (void)add(tell, WAY_NATIVE, "", node);
    else if (type_of(tell, at) == EDGE_CONTEXT)
        tell_variable(tell, at);
    else if (is_global(tell, at))
        (void)add(tell, WAY_GLOBAL, edge_of(tell, at), node);
    else
        (void)add(tell, WAY_TIMER, "", node);
}

/* ---- the next ones ---- */

/* A Map is a table of words: a header, buckets (half as many as its capacity), and entries of three
 * words: key, value, next in the bucket. A Set has entries of two. A word has 8 bytes; the table
 * itself begins with two words of its own. */
static enum way_kind entry_kind(const struct tell *tell, size_t at)
{
    const char *owner = at >= 2 ? name_of(tell, tell->found->nodes[at - 2]) : "";
    const uint64_t words = tell->snapshot->nodes[tell->found->nodes[at - 1]].size / 8;
    uint64_t index = 0, buckets;

    if (strcmp(owner, "Set") == 0)
        return WAY_KEY;
    if (strcmp(owner, "Map") != 0 || words < 5)
        return WAY_ELEMENT;
    for (const char *c = edge_of(tell, at); *c && index < UINT32_MAX; c++)
        index = index * 10 + (uint64_t)(*c - '0');
    buckets = (words - 5) / 7;
    return index >= 3 + buckets && (index - 3 - buckets) % 3 == 0 ? WAY_KEY : WAY_VALUE;
}

static void tell_closure(const struct tell *tell, uint32_t node)
{
    const uint32_t context = snapshot_follow(tell->snapshot, node, EDGE_INTERNAL, "context");
    struct way_step *step = add(tell, WAY_CLOSURE, name_of(tell, node), node);

    if (!step)
        return;
    put_source(tell, step, node);
    if (context != SNAPSHOT_NONE && is_context(tell, context))
        (void)snprintf(step->function, sizeof(step->function), "%.*s", WAY_TEXT - 1,
                       function_of(tell, context));
}

/* Internal objects of the engine between two objects that the program names. */
static bool is_inner(const struct tell *tell, size_t at)
{
    static const char *const names[] = {"elements", "properties", "table",    "context",
                                        "previous", "buffer",     "backing_store", "shared"};
    const char *name = edge_of(tell, at);

    if (type_of(tell, at) != EDGE_INTERNAL)
        return type_of(tell, at) == EDGE_OTHER;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_repeated(const struct tell *tell, const char *name)
{
    const struct way *out = tell->out;

    return out->count > 0 && out->steps[out->count - 1].kind == WAY_PROPERTY &&
           strcmp(out->steps[out->count - 1].name, name) == 0;
}

static bool holds_listeners(const struct tell *tell, size_t at)
{
    return type_of(tell, at) == EDGE_PROPERTY && strcmp(edge_of(tell, at), "_events") == 0 &&
           at + 1 < tell->found->count && type_of(tell, at + 1) == EDGE_PROPERTY;
}

/* An EventTarget keeps its listeners in a Map of lists; each leads to the next and to its
 * function. */
static bool holds_targets_listeners(const struct tell *tell, size_t at)
{
    return type_of(tell, at) == EDGE_PROPERTY && strstr(edge_of(tell, at), "kEvents") &&
           strcmp(name_of(tell, tell->found->nodes[at]), "Map") == 0;
}

static size_t pass_list(const struct tell *tell, size_t at)
{
    while (at + 1 < tell->found->count &&
           (type_of(tell, at + 1) == EDGE_INTERNAL || strcmp(edge_of(tell, at + 1), "next") == 0))
        at++;
    return at + 1 < tell->found->count && strcmp(edge_of(tell, at + 1), "listener") == 0 ? at + 1 : at;
}

/* Returns the last node of the path that was described. */
static size_t tell_step(const struct tell *tell, size_t at)
{
    const uint32_t node = tell->found->nodes[at];
    const char *name = edge_of(tell, at);

    if (holds_listeners(tell, at)) {
        at++;
        (void)add(tell, WAY_LISTENERS, edge_of(tell, at), tell->found->nodes[at]);
    } else if (holds_targets_listeners(tell, at)) {
        at = pass_list(tell, at);
        (void)add(tell, WAY_LISTENERS, "", tell->found->nodes[at]);
    } else if (is_handles(tell, at - 1)) {
        /* The number of the handle means nothing. */
    } else if (retain_is_reaction(tell->snapshot, node)) {
        if (!retain_is_reaction(tell->snapshot, tell->found->nodes[at - 1]))
            (void)add(tell, WAY_CALLBACKS, "", node);
    } else if (is_inner(tell, at)) {
        if (strcmp(name, "buffer") == 0)
            (void)add(tell, WAY_PART, "", node);
    } else if (type_of(tell, at) == EDGE_ELEMENT) {
        (void)add(tell, WAY_ELEMENT, "", node);
    } else if (type_of(tell, at) == EDGE_INTERNAL && is_number(name)) {
        (void)add(tell, entry_kind(tell, at), "", node);
    } else if (type_of(tell, at) == EDGE_CONTEXT) {
        (void)add(tell, WAY_CAPTURED, name, node);
    } else if (type_of(tell, at) == EDGE_PROPERTY) {
        if (is_repeated(tell, name))
            tell->out->steps[tell->out->count - 1].chain = true;
        else
            (void)add(tell, WAY_PROPERTY, name, node);
    } else {
        (void)add(tell, WAY_PART, "", node);
    }
    if (tell->snapshot->nodes[tell->found->nodes[at]].type == NODE_CLOSURE)
        tell_closure(tell, tell->found->nodes[at]);
    return at;
}

void way_tell(struct way *out, const struct snapshot *snapshot, const struct retain_way *found)
{
    const struct tell tell = {.snapshot = snapshot, .found = found, .out = out};
    size_t at;

    *out = (struct way){.growing = SIZE_MAX, .objects = found->objects, .bytes = found->bytes};
    if (found->count == 0)
        return;
    at = find_first(&tell);
    tell_first(&tell, at);
    for (; at < found->count; at++) {
        if (out->count > 0 && at + 1 >= found->shared && out->growing == SIZE_MAX)
            out->growing = out->count - 1;
        if (at + 1 < found->count)
            at = tell_step(&tell, at + 1) - 1;
    }
    if (out->growing < out->count && out->growing > 0 && out->steps[out->growing].chain)
        out->growing--; /* a chain grows at its beginning */
    if (out->growing < out->count && out->growing > 0 && out->steps[out->growing].kind == WAY_CLOSURE &&
        out->steps[out->growing - 1].kind == WAY_LISTENERS)
        out->growing--; /* one listener does not */
    if (out->growing < out->count && out->growing > 0 && out->steps[out->growing].kind == WAY_CALLBACKS)
        out->growing--; /* the promise that has them */
}

/* ---- text ---- */

static void put_place(struct text *out, const struct way_step *step)
{
    if (step->file[0] && step->line)
        text_print(out, " (%s:%u)", text_base_name(step->file), step->line);
    else if (step->file[0])
        text_print(out, " (%s)", text_base_name(step->file));
}

static void put_closure(struct text *out, const struct way_step *step)
{
    if (step->name[0])
        text_print(out, " → function %s", step->name);
    else if (step->function[0])
        text_print(out, " → closure in %s", step->function);
    else
        text_put(out, " → closure");
    put_place(out, step);
}

static void put_local(struct text *out, const struct way_step *step)
{
    text_print(out, "local '%s' of %s", step->name, step->function[0] ? step->function : "a function");
    put_place(out, step);
}

static void put_step(struct text *out, const struct way_step *step, bool growing)
{
    switch (step->kind) {
    case WAY_VARIABLE:
        text_put(out, step->name);
        break;
    case WAY_LOCAL:
        put_local(out, step);
        break;
    case WAY_GLOBAL:
        text_print(out, "global.%s", step->name);
        break;
    case WAY_TIMER:
        text_put(out, "timers that are waiting");
        break;
    case WAY_NATIVE:
        text_put(out, WAY_NATIVE_NAME);
        break;
    case WAY_ROOT:
        text_put(out, "the engine");
        break;
    case WAY_PROPERTY:
        text_print(out, ".%s%s", step->name, step->chain ? "…" : "");
        break;
    case WAY_ELEMENT:
        text_put(out, "[…]");
        break;
    case WAY_VALUE:
        text_print(out, " → value %s", step->type);
        break;
    case WAY_KEY:
        text_print(out, " → key %s", step->type);
        break;
    case WAY_LISTENERS:
        text_print(out, step->name[0] ? " '%s' listeners" : "%s listeners", step->name[0] ? step->name : "");
        break;
    case WAY_CALLBACKS:
        text_put(out, " callbacks");
        break;
    case WAY_CLOSURE:
        put_closure(out, step);
        break;
    case WAY_CAPTURED:
        text_print(out, " → %s", step->name);
        break;
    case WAY_PART:
        text_print(out, " → %s", step->type[0] ? step->type : "an object");
        break;
    }
    if (growing && step->type[0] && step->kind != WAY_LISTENERS && step->kind != WAY_VALUE &&
        step->kind != WAY_TIMER && step->kind != WAY_NATIVE && step->kind != WAY_ROOT)
        text_print(out, " (%s)", step->type);
}

void way_text(struct text *out, const struct way *way)
{
    for (size_t i = 0; i < way->count; i++) {
        const struct way_step *step = &way->steps[i];
        const bool last = i + 1 == way->count;

        put_step(out, step, i == way->growing);
        if (!last && way->steps[i + 1].kind == WAY_LISTENERS && i != way->growing)
            text_print(out, " (%s)", step->type);
        if (step->kind == WAY_ELEMENT && step->type[0] && strcmp(step->type, "function") != 0 &&
            (last || way->steps[i + 1].kind == WAY_PROPERTY))
            text_print(out, " → %s", step->type);
    }
}
