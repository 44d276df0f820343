/* python_cycle.c - see python_cycle.h.
 *
 * What nothing leads to and yet is not released is in a cycle, or hangs on one. A search in breadth,
 * by the functions with which types show the collector what their objects refer to, comes back to the
 * object that it began with, or ends after that many.
 */
#include "probe/search/python_cycle.h"

#include <string.h>

#include "probe/copy/copy.h"
#include "probe/core/raw.h"
#include "probe/python/python_view.h"
#include "probe/search/python_objects.h"

#define OBJECTS_MOST 2048 /* the most objects that are examined */
#define DICT_LENGTH 16
#define ATTRIBUTES_MOST 64 /* of an object; what has more is a module's, or a table */
#define SLOTS (2 * OBJECTS_MOST)

struct seen {
    uintptr_t object;
    uint32_t from; /* in `list`, of the object that refers to it */
    uint32_t depth;
};

struct walk {
    const struct graph *graph;
    struct seen list[OBJECTS_MOST];
    uint32_t slots[SLOTS]; /* index + 1 in `list`, by address */
    uint32_t count, at;
    bool back; /* the object at `at` refers to the first */
};

static bool is_new(struct walk *walk, uintptr_t object)
{
    uint32_t slot = (uint32_t)(object >> 4) * 2654435761u % SLOTS;

    while (walk->slots[slot]) {
        if (walk->list[walk->slots[slot] - 1].object == object)
            return false;
        slot = (slot + 1) % SLOTS;
    }
    walk->slots[slot] = walk->count + 1;
    return true;
}

static bool is_of_module(const struct graph *graph, uintptr_t dict)
{
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->roots[i].kind == OWNER_MODULE && graph->roots[i].object == dict)
            return true;
    return false;
}

/* Types and the variables of modules lead to everything, and are in no cycle of the program's. */
static bool is_followed(const struct graph *graph, uintptr_t object)
{
    const uint64_t flags = python_objects_is(graph, object) ? python_objects_flags(object) : 0;

    if ((flags & (TYPE_HAS_GC | TYPE_IS_TYPE)) != TYPE_HAS_GC)
        return false;
    return !(flags & TYPE_IS_DICT) || (graph_word(object + DICT_LENGTH) <= ATTRIBUTES_MOST &&
                                       !is_of_module(graph, object));
}

static int visit(void *object, void *context)
{
    struct walk *walk = context;
    const uintptr_t address = (uintptr_t)object;

    if (address == walk->list[0].object) {
        walk->back = true;
        return 1;
    }
    if (walk->count == OBJECTS_MOST || !is_followed(walk->graph, address) || !is_new(walk, address))
        return 0;
    walk->list[walk->count++] = (struct seen){
        .object = address, .from = walk->at, .depth = walk->list[walk->at].depth + 1};
    return 0;
}

static bool leads_back(struct walk *walk)
{
    const uintptr_t object = walk->list[walk->at].object;
    const uintptr_t function = graph_word(python_objects_type(object) + TYPE_TRAVERSE);
    int (*call)(void *, int (*)(void *, void *), void *);

    if (!function)
        return false;
    memcpy(&call, &function, sizeof(call));
    (void)call((void *)object, visit, walk);
    return walk->back;
}

static unsigned write_cycle(const struct walk *walk, uintptr_t cycle[CYCLE_MOST])
{
    const unsigned count = walk->list[walk->at].depth + 1;
    uint32_t at = walk->at;

    for (unsigned i = count; i-- > 0; at = walk->list[at].from)
        cycle[i] = walk->list[at].object;
    return count;
}

unsigned python_cycle(const struct graph *graph, uintptr_t object, uintptr_t cycle[CYCLE_MOST])
{
    struct walk *walk = is_followed(graph, object) ? copy_map(sizeof(*walk)) : NULL;
    unsigned found = 0;

    if (!walk)
        return 0;
    walk->graph = graph;
    walk->list[walk->count++].object = object;
    while (walk->at < walk->count && walk->list[walk->at].depth < CYCLE_MOST) {
        if (leads_back(walk)) {
            found = write_cycle(walk, cycle);
            break;
        }
        walk->at++;
    }
    copy_release(walk, sizeof(*walk));
    return found;
}
