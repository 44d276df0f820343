/* holder_path.c - see holder_path.h.
 *
 * The path back from the block is reversed, and cut in the middle when it is very long. Then each
 * reference is named by examining the object that has it. Stretches of native memory are described
 * by the known classes in them.
 */
#include "probe/search/holder_path.h"

#include <stdio.h>
#include <string.h>

#include "probe/copy/copy.h"
#include "probe/core/raw.h"
#include "probe/record/step.h"
#include "probe/search/native_class.h"
#include "probe/search/python_array.h"
#include "probe/search/python_attribute.h"
#include "probe/search/python_cycle.h"
#include "probe/search/python_describe.h"
#include "probe/search/python_label.h"
#include "probe/search/python_objects.h"
#include "probe/search/python_read.h"

#define HEAD 64 /* things that are kept at the beginning of a path */
#define TAIL 32 /* things that are kept at its end */
#define STEPS 128
#define SHOWN_FIRST 14 /* steps that are kept of a long path */
#define CYCLE_TRIED 3  /* objects of the way, from its end on, that may be in one */
#define ARRAY_BEHIND 4 /* things between an array and its elements, at most */

struct path {
    const struct graph *graph;
    thing chain[HEAD + TAIL];
    uint32_t count;
    uint32_t gap;    /* things left out at HEAD */
    thing root;
    struct search_owner steps[STEPS];
    uint32_t step_count;
};

/* ---- the way ---- */

static void read_chain(struct path *path, thing target, uint32_t depth)
{
    const uint32_t kept = depth <= HEAD + TAIL ? depth : HEAD + TAIL;
    thing at = target;

    path->count = kept;
    path->gap = depth - kept;
    for (uint32_t i = depth; i-- > 0; at = graph_from(path->graph, at)) {
        if (i < HEAD || path->gap == 0)
            path->chain[i] = at;
        else if (i >= depth - TAIL)
            path->chain[i - path->gap] = at;
        if (i == 0)
            path->root = graph_from(path->graph, at);
    }
}

/* The object at this place of the way; 0: it is a block, or the way ends before. */
static uintptr_t object_at(const struct path *path, uint32_t place)
{
    if (place >= path->count || !(path->chain[place] & OBJECT_BIT) ||
        (path->gap && place == HEAD))
        return 0;
    return path->graph->objects.address[path->chain[place] & INDEX_MASK];
}

static struct search_owner *add_step(struct path *path)
{
    if (path->step_count == STEPS)
        return &path->steps[STEPS - 1];
    return &path->steps[path->step_count++];
}

/* ---- roots ---- */

static void add_module(struct path *path, const struct root *root)
{
    struct search_owner *step = add_step(path);

    step->kind = OWNER_MODULE;
    (void)python_read_text(path->graph, root->name, step->name, sizeof(step->name));
    (void)python_attribute_file(path->graph, root, step->file, sizeof(step->file));
}

/* The step from a module to what its dictionary holds. The number of things it takes. */
static uint32_t add_module_variable(struct path *path)
{
    const uintptr_t chain[LABEL_AHEAD] = {object_at(path, 0), object_at(path, 1)};
    struct search_owner *step;
    uintptr_t key = 0;
    void *name, *value;
    ssize_t at = 0;

    if (!chain[0] || !chain[1] || !python_read_is(path->graph, chain[0], TYPE_IS_DICT))
        return 1;
    while (!key && path->graph->python->dict_next((void *)chain[0], &at, &name, &value))
        key = (uintptr_t)value == chain[1] ? (uintptr_t)name : 0;
    step = add_step(path);
    step->kind = key ? OWNER_ATTRIBUTE : OWNER_PART;
    (void)python_read_text(path->graph, key, step->name, sizeof(step->name));
    python_describe(path->graph, chain[1], step);
    return 2;
}

static uint32_t add_frame(struct path *path, const struct root *root)
{
    const uintptr_t first = object_at(path, 0);
    struct search_owner *step = add_step(path);

    step->kind = OWNER_FRAME;
    python_label_place(path->graph, root->object, step);
    if (!first)
        return 0;
    step = add_step(path);
    python_label_local(path->graph, root->object, first, step);
    step->kind = step->kind ? step->kind : OWNER_PART;
    python_describe(path->graph, first, step);
    return 1;
}

/* A native thing that is a root by itself takes part in the way, and gives the root its name. */
static uint32_t add_hub(struct path *path, const struct root *root)
{
    const uint32_t chunk = graph_find_chunk(path->graph, root->object);
    struct search_owner *step = add_step(path);
    struct native_class class;

    step->kind = OWNER_RUNTIME;
    if (chunk && native_class_of(&path->graph->nodes, &path->graph->pages, path->graph->nodes.start[chunk],
                                 graph_end(path->graph, chunk), &class))
        (void)snprintf(step->name, sizeof(step->name), "%s", class.name);
    return 1;
}

/* How many things of the way the root and its first step take. */
static uint32_t add_root(struct path *path)
{
    const struct root *root = &path->graph->roots[path->root & INDEX_MASK];
    struct search_owner *step;

    switch (root->kind) {
    case OWNER_MODULE:
        add_module(path, root);
        return add_module_variable(path);
    case OWNER_FRAME:
        return add_frame(path, root);
    case OWNER_RUNTIME:
        return add_hub(path, root);
    default:
        step = add_step(path);
        step->kind = root->kind ? root->kind : OWNER_RUNTIME;
        (void)snprintf(step->name, sizeof(step->name), "%s",
                       root->kind == 0                                     ? ""
                       : root->object == path->graph->python->interpreter ? "the interpreter"
                                                                          : "a thread");
        return 0;
    }
}

/* ---- steps ---- */

static void add_object(struct path *path, enum owner_kind kind, uintptr_t object)
{
    struct search_owner *step = add_step(path);

    step->kind = kind;
    python_describe(path->graph, object, step);
}

/* The step that leads on from the object before this place. */
static uint32_t add_reference(struct path *path, uint32_t place)
{
    const uintptr_t chain[LABEL_AHEAD] = {object_at(path, place - 1), object_at(path, place),
                                          object_at(path, place + 1), object_at(path, place + 2)};
    struct search_owner step;
    unsigned taken;

    memset(&step, 0, sizeof(step));
    taken = python_label(path->graph, chain, &step);
    if (step.kind) {
        python_describe(path->graph, chain[taken < LABEL_AHEAD ? taken : 1], &step);
        *add_step(path) = step;
    }
    return taken ? taken : 1;
}

static bool class_at(const struct path *path, uint32_t place, struct native_class *class)
{
    const thing chunk = path->chain[place];

    return native_class_of(&path->graph->nodes, &path->graph->pages, path->graph->nodes.start[chunk],
                           graph_end(path->graph, chunk), class);
}

/* A run of blocks. An object's gradient function lies behind the object's own native part; classes that
 * are not known, and the same one again, are passed over. */
static uint32_t add_native(struct path *path, uint32_t place)
{
    const uint32_t steps_before = path->step_count;
    const bool from_object = place > 0 && path->chain[place - 1] & OBJECT_BIT;
    bool gradient = false;
    uint32_t at = place;

    for (; at < path->count && !(path->chain[at] & OBJECT_BIT); at++) {
        struct native_class class;
        struct search_owner *last = path->step_count ? &path->steps[path->step_count - 1] : NULL;

        if (!class_at(path, at, &class))
            continue;
        if (class.autograd && from_object && !gradient && path->step_count > steps_before) {
            gradient = true;
            memset(&path->steps[steps_before], 0,
                   (path->step_count - steps_before) * sizeof(path->steps[0]));
            path->step_count = steps_before;
            last = add_step(path);
            last->kind = OWNER_ATTRIBUTE;
            (void)snprintf(last->name, sizeof(last->name), "grad_fn");
            (void)snprintf(last->type, sizeof(last->type), "%s", class.name);
        } else if (!last || last->kind != OWNER_NATIVE || strcmp(last->name, class.name) != 0) {
            last = add_step(path);
            last->kind = OWNER_NATIVE;
            (void)snprintf(last->name, sizeof(last->name), "%s", class.name);
        }
    }
    /* Native memory without a known class, and then an object again. */
    if (path->step_count == steps_before && at < path->count)
        add_step(path)->kind = OWNER_NATIVE;
    return at - place;
}

static void add_steps(struct path *path)
{
    uint32_t at = add_root(path);

    while (at < path->count) {
        const uintptr_t object = object_at(path, at);

        if (path->gap && at == HEAD) {
            struct search_owner *step = add_step(path);

            step->kind = OWNER_PART;
            step->left_out = path->gap;
            (void)snprintf(step->name, sizeof(step->name), "…");
        }
        if (!(path->chain[at] & OBJECT_BIT)) {
            at += add_native(path, at);
        } else if (at > 0 && object_at(path, at - 1) && object) {
            at += add_reference(path, at);
        } else {
            add_object(path, OWNER_PART,
                       path->graph->objects.address[path->chain[at] & INDEX_MASK]);
            at++;
        }
    }
}

/* ---- cycles ---- */

#define PLAIN (TYPE_IS_DICT | TYPE_IS_TUPLE | TYPE_IS_LIST)

/* It begins with an object that has a class of its own, if it has one. */
static void turn_cycle(uintptr_t cycle[CYCLE_MOST], unsigned count)
{
    uintptr_t turned[CYCLE_MOST];
    unsigned first = 0;

    while (first < count && python_objects_flags(cycle[first]) & PLAIN)
        first++;
    for (unsigned i = 0; i < count; i++)
        turned[i] = cycle[(first + i) % count];
    memcpy(cycle, turned, count * sizeof(turned[0]));
}

static struct search_owner *add_owner(struct search_site *site)
{
    struct search_owner *owner =
        &site->owners[site->owner_count < SEARCH_OWNERS ? site->owner_count++ : SEARCH_OWNERS - 1];

    memset(owner, 0, sizeof(*owner));
    return owner;
}

static void write_cycle(const struct graph *graph, uintptr_t cycle[CYCLE_MOST], unsigned count,
                        struct search_site *site)
{
    uintptr_t way[CYCLE_MOST + 1 + LABEL_AHEAD] = {0};
    struct search_owner *owner = add_owner(site);

    turn_cycle(cycle, count);
    memcpy(way, cycle, count * sizeof(way[0]));
    way[count] = cycle[0];
    owner->kind = OWNER_CYCLE;
    python_describe(graph, cycle[0], owner);
    for (unsigned at = 0, taken; at < count; at += taken) {
        owner = add_owner(site);
        taken = python_label(graph, &way[at], owner);
        taken = taken ? taken : 1;
        owner->kind = owner->kind ? owner->kind : OWNER_PART;
        python_describe(graph, way[at + taken], owner);
    }
}

/* Is the block part of what holds itself? Where it is still held now it will not be later. */
static void write_any_cycle(const struct path *path, struct search_site *site)
{
    uintptr_t cycle[CYCLE_MOST];
    unsigned tried = 0, count;

    for (uint32_t at = path->count; at-- > 0 && tried < CYCLE_TRIED;) {
        const uintptr_t object = object_at(path, at);

        tried += object != 0;
        count = object ? python_cycle(path->graph, object, cycle) : 0;
        if (count > 0 && site->owner_count + count < SEARCH_OWNERS)
            write_cycle(path->graph, cycle, count, site);
        if (count > 0)
            return;
    }
}

/* ---- the answer ---- */

static bool has_object(const struct path *path)
{
    for (uint32_t i = 0; i < path->count; i++)
        if (path->chain[i] & OBJECT_BIT)
            return true;
    return false;
}

/* A path of many steps is cut in its middle, and says so. */
static void write_steps(const struct path *path, struct search_site *site)
{
    const uint32_t all = path->step_count;
    const uint32_t last = SEARCH_OWNERS - SHOWN_FIRST - 1;

    if (all <= SEARCH_OWNERS) {
        memcpy(site->owners, path->steps, all * sizeof(path->steps[0]));
        site->owner_count = all;
        return;
    }
    memset(&site->owners[SHOWN_FIRST], 0, sizeof(site->owners[0]));
    memcpy(site->owners, path->steps, SHOWN_FIRST * sizeof(path->steps[0]));
    site->owners[SHOWN_FIRST].kind = OWNER_PART;
    site->owners[SHOWN_FIRST].left_out = all - SHOWN_FIRST - last;
    (void)snprintf(site->owners[SHOWN_FIRST].name, SEARCH_NAME, "…");
    memcpy(&site->owners[SHOWN_FIRST + 1], &path->steps[all - last],
           last * sizeof(path->steps[0]));
    site->owner_count = SEARCH_OWNERS;
}

/* The nearest thing before a block whose elements the block holds. */
static void write_array(const struct path *path, struct search_site *site)
{
    const thing target = path->chain[path->count - 1];

    for (uint32_t i = 2; !(target & OBJECT_BIT) && i <= path->count && i < 2 + ARRAY_BEHIND; i++)
        if (python_array_of(path->graph, path->chain[path->count - i],
                            path->graph->nodes.start[target], graph_end(path->graph, target),
                            &site->array))
            return;
    site->array.kind = 0;
}

void holder_path_write(const struct graph *graph, thing target, uint32_t depth,
                       struct search_site *site)
{
    struct path *path = copy_map(sizeof(*path));

    if (!path)
        return;
    path->graph = graph;
    read_chain(path, target, depth);
    if (has_object(path) || graph->roots[path->root & INDEX_MASK].kind) {
        add_steps(path);
        write_steps(path, site);
        write_array(path, site);
        write_any_cycle(path, site);
    }
    copy_release(path, sizeof(*path));
}
