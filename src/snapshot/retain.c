/* retain.c - see retain.h.
 *
 * A breadth-first search from the root over all references but weak ones, in two passes: first what
 * a program can see (variables, properties, elements), then the rest. So the path to an object
 * leads through the engine's own tables only if there is no other path. The kind of a path is a
 * hash over its names, computed during the search; indices, keys of objects used as tables, and
 * repeated names of a chain count as one.
 */
#include "snapshot/retain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "snapshot/retain_parts.h"

#define TABLE_EDGES 64 /* an object with more properties is used as a table */
#define SAMPLES     32 /* objects whose paths are compared */
#define MANY_WORK (1u << 26) /* objects looked at: each kind that is tried takes a walk over the heap … */
#define MANY_LEAST 16        /* … and so many are tried in any case */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    return hash ^ hash >> 29;
}

static bool is_number(const char *text)
{
    return text[0] && text[strspn(text, "0123456789")] == 0;
}

static bool is_table(const struct snapshot *snapshot, uint32_t node)
{
    return snapshot->nodes[node].type == NODE_OBJECT &&
           snapshot->nodes[node + 1].first - snapshot->nodes[node].first > TABLE_EDGES &&
           strncmp(snapshot_node_name(snapshot, node), "global", 6) != 0;
}

/* The name of an edge, as far as it distinguishes paths. */
static uint64_t label_of(const struct snapshot *snapshot, uint32_t source, uint32_t edge)
{
    const struct heap_edge *e = &snapshot->edges[edge];

    if (e->type == EDGE_ELEMENT || e->type == EDGE_OTHER ||
        (e->type == EDGE_INTERNAL && is_number(snapshot_edge_name(snapshot, edge))) ||
        (e->type == EDGE_PROPERTY && is_table(snapshot, source)))
        return e->type;
    return mix(e->type, 1 + (uint64_t)e->name);
}

/* The value of a WeakMap is held by its key; the table that knows both does not hold it. */
static bool is_strong(const struct snapshot *snapshot, uint32_t source, uint32_t edge)
{
    if (snapshot->edges[edge].type == EDGE_WEAK)
        return false;
    return snapshot->edges[edge].type != EDGE_INTERNAL ||
           snapshot->nodes[source].type != NODE_ARRAY ||
           !strstr(snapshot_edge_name(snapshot, edge), "part of key");
}

bool retain_is_reaction(const struct snapshot *snapshot, uint32_t node)
{
    return snapshot->nodes[node].type == NODE_OTHER &&
           strcmp(snapshot_node_name(snapshot, node), "system / PromiseReaction") == 0;
}

/* What `then` and `await` have given to a promise: V8 keeps it in a chain without names. */
static bool is_promised(const struct snapshot *snapshot, uint32_t source, uint32_t to)
{
    return retain_is_reaction(snapshot, source) ||
           (snapshot->nodes[to].type == NODE_OBJECT &&
            strcmp(snapshot_node_name(snapshot, to), "Promise") == 0 &&
            strncmp(snapshot_node_name(snapshot, source), "system / Context", 16) == 0);
}

static bool is_plain(const struct snapshot *snapshot, uint32_t source, uint32_t edge)
{
    const struct heap_edge *e = &snapshot->edges[edge];

    return snapshot->nodes[e->to].type != NODE_CODE &&
           (e->type != EDGE_OTHER || is_promised(snapshot, source, e->to));
}

/* The next object of a chain, which is as long as the program has made it. */
static bool is_link(const struct retain *retain, uint32_t source, uint32_t to, uint64_t label)
{
    const struct snapshot *snapshot = retain->snapshot;
    const uint32_t before = retain->edge[source];

    if (before == SNAPSHOT_NONE)
        return false;
    return (label > EDGE_WEAK && label_of(snapshot, retain->from[source], before) == label) ||
           (retain_is_reaction(snapshot, source) && retain_is_reaction(snapshot, to));
}

static void reach(struct retain *retain, uint32_t source, uint32_t edge)
{
    const struct snapshot *snapshot = retain->snapshot;
    const uint32_t to = snapshot->edges[edge].to;
    const uint64_t label = label_of(snapshot, source, edge);

    if (to == 0 || retain->edge[to] != SNAPSHOT_NONE)
        return;
    retain->edge[to] = edge;
    retain->from[to] = source;
    retain->depth[to] = retain->depth[source] + 1;
    retain->kind[to] = is_link(retain, source, to, label) ? retain->kind[source]
                                                          : mix(retain->kind[source], label);
    retain->order[retain->found++] = to;
}

bool retain_is_seen(const struct snapshot *snapshot, uint32_t source, uint32_t edge)
{
    return is_strong(snapshot, source, edge) && is_plain(snapshot, source, edge);
}

static void search(struct retain *retain, bool plain)
{
    const struct snapshot *snapshot = retain->snapshot;

    for (size_t i = 0; i < retain->found; i++) {
        const uint32_t node = retain->order[i];

        for (uint32_t e = snapshot->nodes[node].first; e < snapshot->nodes[node + 1].first; e++)
            if (is_strong(snapshot, node, e) && (!plain || is_plain(snapshot, node, e)))
                reach(retain, node, e);
    }
}

int retain_new(struct retain **out, const struct snapshot *snapshot, struct why *why)
{
    const size_t count = snapshot->node_count;
    struct retain *retain = mem_zalloc(sizeof(*retain));

    if (retain) {
        retain->snapshot = snapshot;
        retain->edge = mem_zalloc_array(count, sizeof(*retain->edge));
        retain->from = mem_zalloc_array(count, sizeof(*retain->from));
        retain->depth = mem_zalloc_array(count, sizeof(*retain->depth));
        retain->order = mem_zalloc_array(count, sizeof(*retain->order));
        retain->kind = mem_zalloc_array(count, sizeof(*retain->kind));
    }
    if (!retain || !retain->edge || !retain->from || !retain->depth || !retain->order ||
        !retain->kind) {
        retain_free(retain);
        return fail(why, ERR_NOMEM, "no room to search a heap snapshot");
    }
    for (size_t i = 0; i < count; i++)
        retain->edge[i] = retain->from[i] = SNAPSHOT_NONE;
    retain->order[retain->found++] = 0;
    search(retain, true);
    search(retain, false);
    *out = retain;
    return 0;
}

void retain_free(struct retain *retain)
{
    if (!retain)
        return;
    mem_free(retain->edge);
    mem_free(retain->from);
    mem_free(retain->depth);
    mem_free(retain->order);
    mem_free(retain->kind);
    mem_free(retain);
}

/* ---- the question ---- */

static int by_kind(const void *left, const void *right)
{
    const struct retain_target *a = left, *b = right;

    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static bool is_asked(const struct retain *retain, uint32_t node,
                     const struct retain_question *question)
{
    const struct snapshot *snapshot = retain->snapshot;
    const struct heap_node *n = &snapshot->nodes[node];
    const uint32_t id = question->buffers ? snapshot->nodes[retain->from[node]].id : n->id;
    const bool buffer = n->type == NODE_NATIVE &&
                        strstr(snapshot_node_name(snapshot, node), "ArrayBufferData") != NULL;

    if (question->name && strcmp(snapshot_node_name(snapshot, node), question->name) != 0)
        return false;
    return id > question->since && n->size >= question->least && n->size <= question->most &&
           buffer == question->buffers && n->type != NODE_CODE && n->type != NODE_SYNTHETIC;
}

static size_t gather(struct retain_target *targets, const struct retain *retain,
                     const struct retain_question *question)
{
    size_t count = 0;

    for (size_t i = 1; i < retain->found; i++) {
        const uint32_t node = retain->order[i];

        if (is_asked(retain, node, question))
            targets[count++] = (struct retain_target){.kind = retain->kind[node],
                                               .node = node,
                                               .size = retain->snapshot->nodes[node].size};
    }
    if (count > 1)
        qsort(targets, count, sizeof(*targets), by_kind);
    return count;
}

/* The deepest node on the paths to both. */
static uint32_t meet(const struct retain *retain, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (retain->depth[a] >= retain->depth[b])
            a = retain->from[a];
        else
            b = retain->from[b];
    }
    return a;
}

static int lay_out(struct retain_way *out, const struct retain *retain, uint32_t node)
{
    out->count = (size_t)retain->depth[node] + 1;
    out->nodes = mem_zalloc_array(out->count, sizeof(*out->nodes));
    out->edges = mem_zalloc_array(out->count, sizeof(*out->edges));
    if (!out->nodes || !out->edges) {
        retain_way_free(out);
        return ERR_NOMEM;
    }
    for (size_t i = out->count; i-- > 0; node = retain->from[node]) {
        out->nodes[i] = node;
        out->edges[i] = retain->edge[node];
    }
    return 0;
}

/* The edge of a variable that leads to the node, and its owner; SNAPSHOT_NONE: none. */
static uint32_t variable_of(const struct snapshot *snapshot, uint32_t node, uint32_t *context)
{
    for (uint32_t i = 0; i < snapshot->node_count; i++)
        for (uint32_t e = snapshot->nodes[i].first; e < snapshot->nodes[i + 1].first; e++)
            if (snapshot->edges[e].to == node && snapshot->edges[e].type == EDGE_CONTEXT &&
                snapshot->nodes[i].type != NODE_CLOSURE) {
                *context = i;
                return e;
            }
    return SNAPSHOT_NONE;
}

/* Makes the path begin at the variable that leads to this node of it. False: there is none. */
static bool begin_at(struct retain_way *out, const struct snapshot *snapshot, size_t at)
{
    uint32_t context;
    const uint32_t edge = variable_of(snapshot, out->nodes[at], &context);

    if (edge == SNAPSHOT_NONE)
        return false;
    out->nodes[at - 1] = context;
    out->edges[at] = edge;
    return true;
}

/* A waiting timer may lead to the object that grows, through the variables of its function. A
 * variable that leads there as well is the better answer, because the timer will go. */
static void pass_over_timer(struct retain_way *out, const struct snapshot *snapshot)
{
    size_t at = out->shared;

    while (at > 1 && !snapshot_is_timer(snapshot, out->nodes[at - 1]))
        at--;
    for (; at > 1 && at < out->shared; at++)
        if (snapshot->nodes[out->nodes[at]].type == NODE_OBJECT && begin_at(out, snapshot, at))
            return;
}

/* A function that runs during the snapshot has its values on the stack, where they have no name. A
 * variable that holds them as well is the better answer. */
static void prefer_variable(struct retain_way *out, const struct snapshot *snapshot)
{
    size_t at = 1;

    while (at < out->count && snapshot->nodes[out->nodes[at]].type == NODE_SYNTHETIC)
        at++;
    if (at < 2 || at >= out->count ||
        strcmp(snapshot_node_name(snapshot, out->nodes[at - 1]), "(Stack roots)") != 0)
        return;
    (void)begin_at(out, snapshot, at);
}

uint32_t retain_shared(const struct retain *retain, const struct retain_target *first, uint64_t objects)
{
    const uint64_t stride = objects / SAMPLES + 1;
    uint32_t shared = first->node;

    for (uint64_t i = 0; i < objects; i += stride)
        shared = meet(retain, shared, first[i].node);
    return meet(retain, shared, first[objects - 1].node);
}

int retain_describe(struct retain_way *out, const struct retain *retain, const struct retain_target *first)
{
    const int err = lay_out(out, retain, first[out->objects / 2].node);

    out->shared = (size_t)retain->depth[retain_shared(retain, first, out->objects)] + 1;
    if (!err) {
        prefer_variable(out, retain->snapshot);
        pass_over_timer(out, retain->snapshot);
    }
    return err;
}

int retain_find(struct retain_way *out, const struct retain *retain,
                const struct retain_question *question, struct why *why)
{
    struct retain_target *targets = mem_zalloc_array(retain->found, sizeof(*targets));
    int err = targets ? 0 : ERR_NOMEM;

    *out = (struct retain_way){.count = 0};
    if (!err)
        err = retain_choose(out, retain, targets, gather(targets, retain, question));
    mem_free(targets);
    if (err)
        return fail(why, ERR_NOMEM, "no room to search a heap snapshot");
    return out->count > 0;
}

/* ---- a given number of objects ---- */

struct many {
    const struct retain *retain;
    const struct retain_many *question;
    struct retain_way *out;
    uint32_t left; /* kinds that may still be tried */
    bool several; /* independent of each other */
    int err;
};

/* Takes the outermost; what lies within it is part of it. */
static void consider(struct many *many, const struct retain_target *first, uint64_t objects, uint32_t *within)
{
    const struct retain *retain = many->retain;
    const uint32_t shared = retain_shared(retain, first, objects);
    struct retain_way way = {.objects = objects};

    if (*within != SNAPSHOT_NONE && meet(retain, *within, shared) == *within &&
        (shared != *within || retain->depth[first[objects / 2].node] + 1 >= many->out->count))
        return;
    for (uint64_t i = 0; i < objects; i++)
        way.bytes += first[i].size;
    way.asked_bytes = way.bytes;
    if ((many->err = retain_describe(&way, retain, first)) != 0 ||
        !many->question->accept(&way, many->question->data)) {
        retain_way_free(&way);
        return;
    }
    many->several |= *within != SNAPSHOT_NONE && meet(retain, *within, shared) != shared;
    retain_way_free(many->out);
    *many->out = way;
    *within = shared;
}

int retain_find_many(struct retain_way *out, const struct retain *retain,
                     const struct retain_many *question, struct why *why)
{
    const struct retain_question any = {.since = question->since, .least = 1, .most = NODE_SIZE_MOST};
    struct retain_target *targets = mem_zalloc_array(retain->found, sizeof(*targets));
    const uint32_t most = (uint32_t)(MANY_WORK / ((uint64_t)retain->snapshot->node_count + 1));
    struct many many = {
        .retain = retain, .question = question, .out = out, .left = most > MANY_LEAST ? most : MANY_LEAST};
    uint32_t within = SNAPSHOT_NONE;
    size_t count, end;

    *out = (struct retain_way){.count = 0};
    if (!targets)
        return fail(why, ERR_NOMEM, "no room to search a heap snapshot");
    count = gather(targets, retain, &any);
    for (size_t begin = 0; begin < count && !many.err && many.left > 0; begin = end) {
        for (end = begin; end < count && targets[end].kind == targets[begin].kind;)
            end++;
        if (end - begin >= question->fewest && end - begin <= question->most &&
            retain->snapshot->nodes[targets[begin].node].type == NODE_OBJECT) {
            many.left--;
            consider(&many, targets + begin, end - begin, &within);
        }
    }
    mem_free(targets);
    if (many.err || many.several)
        retain_way_free(out);
    if (many.err)
        return fail(why, ERR_NOMEM, "no room to search a heap snapshot");
    return out->count > 0;
}

void retain_way_free(struct retain_way *way)
{
    mem_free(way->nodes);
    mem_free(way->edges);
    way->nodes = way->edges = NULL;
    way->count = 0;
}
