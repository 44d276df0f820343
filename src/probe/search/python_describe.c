/* python_describe.c - see python_describe.h. */
#include "probe/search/python_describe.h"

#include "probe/search/python_attribute.h"
#include "probe/search/python_objects.h"
#include "probe/search/python_read.h"

/* In functools' cache: its dictionary, and counts on both sides of the function. */
enum { CACHE_DICT = 72, CACHE_HITS = 80, CACHE_BOUND = 96, CACHE_MISSES = 104, CACHE_END = 112 };
enum { DEQUE_BOUND = 64 };

static uint64_t positive(uintptr_t at)
{
    const int64_t value = (int64_t)graph_word(at);

    return value > 0 ? (uint64_t)value : 0;
}

static void describe_cache(const struct graph *graph, uintptr_t object, struct search_owner *step)
{
    const uintptr_t dict = graph_word(object + CACHE_DICT);

    if (graph_word(python_objects_type(object) + TYPE_BASIC_SIZE) < CACHE_END ||
        !python_read_is(graph, dict, TYPE_IS_DICT))
        return;
    step->length = graph_word(dict + LENGTH);
    step->bound = positive(object + CACHE_BOUND);
    step->hits = positive(object + CACHE_HITS);
    step->misses = positive(object + CACHE_MISSES);
}

static void describe_length(const struct graph *graph, uintptr_t object, struct search_owner *step)
{
    const struct python_view *view = graph->python;

    if (python_objects_flags(object) & (TYPE_IS_DICT | TYPE_IS_LIST | TYPE_IS_TUPLE)) {
        step->length = graph_word(object + LENGTH);
    } else if (python_objects_of(graph, object, view->set_type) ||
               python_objects_of(graph, object, view->frozenset_type)) {
        step->length = graph_word(object + SET_USED);
    } else if (python_objects_named(object, "collections.deque")) {
        step->length = graph_word(object + LENGTH);
        step->bound = positive(object + DEQUE_BOUND);
    } else if (python_objects_named(object, "functools._lru_cache_wrapper")) {
        describe_cache(graph, object, step);
    }
}

uint64_t python_describe_bound(const struct graph *graph, uintptr_t object)
{
    struct search_owner step = {.bound = 0};

    describe_length(graph, object, &step);
    return step.bound;
}

void python_describe(const struct graph *graph, uintptr_t object, struct search_owner *step)
{
    const uintptr_t type = python_objects_type(object);
    const struct root *module = python_read_module(graph, type);

    python_read_type(graph, type, step->type, sizeof(step->type));
    describe_length(graph, object, step);
    if (module && step->file[0] == '\0')
        (void)python_attribute_file(graph, module, step->file, sizeof(step->file));
}
