/* python_objects.c - see python_objects.h. */
#include "probe/search/python_objects.h"

#include <string.h>

#include "probe/copy/copy.h"
#include "probe/core/raw.h"

#define CACHE_BITS 16
#define BASIC_LARGEST 65536ul
#define BASES_MOST 64
#define COLLECTOR_HEAD 16
#define COUNT_LARGEST (1ul << 40) /* no object is referred to so often: this is a pointer */

static struct python_verdict *cache;

bool python_objects_init(void)
{
    cache = copy_map(sizeof(*cache) << CACHE_BITS);
    return cache != NULL;
}

/* ---- types ---- */

static bool is_type(const struct graph *graph, uintptr_t type, unsigned depth)
{
    const struct python_view *view = graph->python;
    uintptr_t own, name;
    uint64_t flags;

    if (type == view->type_type)
        return true;
    if (depth == 0 || type % 8 != 0 || !pages_readable(&graph->pages, type, TYPE_END))
        return false;
    own = graph_word(type + PYTHON_TYPE);
    flags = graph_word(type + TYPE_FLAGS);
    name = graph_word(type + TYPE_NAME);
    if (!(flags & TYPE_IS_READY) || graph_word(type + TYPE_BASIC_SIZE) < 16 ||
        graph_word(type + TYPE_BASIC_SIZE) > BASIC_LARGEST || !pages_readable(&graph->pages, name, 1))
        return false;
    return is_type(graph, own, depth - 1) && graph_word(own + TYPE_FLAGS) & TYPE_IS_TYPE;
}

static bool derives(uintptr_t type, uintptr_t base)
{
    for (unsigned i = 0; type && i < BASES_MOST; i++, type = graph_word(type + TYPE_BASE))
        if (type == base)
            return true;
    return false;
}

static bool type_is_named(uintptr_t type, const char *name)
{
    for (unsigned i = 0; type && i < BASES_MOST; i++, type = graph_word(type + TYPE_BASE))
        if (strcmp((const char *)graph_word(type + TYPE_NAME), name) == 0)
            return true;
    return false;
}

static uint32_t judge_type(const struct graph *graph, uintptr_t type)
{
    const struct python_view *view = graph->python;
    uint64_t flags;
    uint32_t known = IS_TYPE;

    if (!is_type(graph, type, 4))
        return IS_NO_TYPE;
    flags = graph_word(type + TYPE_FLAGS);
    /* Links of a cache's list lead to each other, and the cache has shown what they hold. */
    if (strcmp((const char *)graph_word(type + TYPE_NAME), "functools._lru_list_elem") == 0 ||
        derives(type, view->weakref_type) || derives(type, view->proxy_type) ||
        derives(type, view->callable_proxy_type))
        known |= IS_WEAK;
    if (flags & (TYPE_IS_LIST | TYPE_IS_DICT) || derives(type, view->set_type) ||
        derives(type, view->frozenset_type) || derives(type, view->bytearray_type))
        known |= IS_TABLE;
    if (type_is_named(type, "collections.deque") || type_is_named(type, "functools._lru_cache_wrapper"))
        known |= IS_BOUNDABLE;
    return known;
}

struct python_verdict *python_objects_verdict(const struct graph *graph, uintptr_t type)
{
    struct python_verdict *verdict =
        &cache[(type >> 4) * 0x9E3779B97F4A7C15ull >> (64 - CACHE_BITS)];

    if (verdict->type != type || verdict->known == 0)
        *verdict = (struct python_verdict){type, judge_type(graph, type)};
    return verdict;
}

bool python_objects_of(const struct graph *graph, uintptr_t object, uintptr_t type)
{
    (void)graph;
    return derives(python_objects_type(object), type);
}

bool python_objects_named(uintptr_t object, const char *type)
{
    return type_is_named(python_objects_type(object), type);
}

/* ---- objects ---- */

/* From 3.14 on only the lower half of the word counts. */
static bool is_counted(const struct graph *graph, uintptr_t address)
{
    const uintptr_t count = graph_word(address);

    if (graph->python->minor >= 14)
        return (uint32_t)count != 0;
    return count != 0 && count < COUNT_LARGEST;
}

bool python_objects_is(const struct graph *graph, uintptr_t address)
{
    uintptr_t type;

    if (address % 8 != 0 || !(pages_flags(&graph->pages, address) & PAGE_READABLE) ||
        !(pages_flags(&graph->pages, address + PYTHON_TYPE) & PAGE_READABLE))
        return false;
    type = python_objects_type(address);
    return type - graph->pages.low < graph->pages.span && is_counted(graph, address) &&
           python_objects_verdict(graph, type)->known & IS_TYPE;
}

/* The collector's head in front of an object is part of a ring: following it leads back to it.
 * Its low bits are marks. A false object has no such head, and must not reach a traverse
 * function. */
static bool is_in_ring(const struct graph *graph, uintptr_t address)
{
    const uintptr_t head = address - COLLECTOR_HEAD;
    uintptr_t following;

    if (!(pages_flags(&graph->pages, head) & PAGE_READABLE))
        return false;
    following = graph_word(head) & ~(uintptr_t)3;
    return pages_readable(&graph->pages, following, COLLECTOR_HEAD) && following != 0 &&
           (graph_word(following + 8) & ~(uintptr_t)3) == head;
}

bool python_objects_found(const struct graph *graph, uintptr_t address)
{
    uint64_t flags;

    if (!python_objects_is(graph, address))
        return false;
    flags = python_objects_flags(address);
    if (!(flags & TYPE_HAS_GC))
        return true;
    return (flags & TYPE_IS_TYPE && !(graph_word(address + TYPE_FLAGS) & TYPE_IS_HEAP)) ||
           is_in_ring(graph, address);
}

uintptr_t python_objects_in(const struct graph *graph, uintptr_t start, uintptr_t end)
{
    for (uintptr_t head = 0; head <= 32 && start + head + 16 <= end; head += 16) {
        const uintptr_t object = start + head;
        uint64_t flags;

        if (!python_objects_found(graph, object))
            continue;
        flags = python_objects_flags(object);
        if ((head == 0) == !(flags & TYPE_HAS_GC))
            return object;
    }
    return 0;
}

uintptr_t python_objects_size(const struct graph *graph, uintptr_t object)
{
    const uintptr_t type = python_objects_type(object);
    const uintptr_t basic = graph_word(type + TYPE_BASIC_SIZE);

    if (graph->python->minor >= 13 && graph_word(type + TYPE_FLAGS) & TYPE_INLINE_VALUES) {
        const uintptr_t capacity = *(const uint8_t *)(object + basic);

        return basic + 8 + capacity * 8;
    }
    return basic;
}
