/* python_objects.c - see python_objects.h. */
#include "probe/python_objects.h"

#include <string.h>

#include "probe/copy.h"
#include "probe/python_label.h"
#include "probe/python_read.h"
#include "probe/raw.h"

#define CACHE_BITS 16
#define BASIC_LARGEST 65536ul
#define BASES_MOST 64
#define ITEMS_SCANNED 4096ul /* bytes behind the fixed part */
#define COLLECTOR_HEAD 16
#define COUNT_LARGEST (1ul << 40) /* no object is referred to so often: this is a pointer */

/* What is known of a word that was looked at as a type. */
enum {
    IS_TYPE = 1,
    IS_NO_TYPE = 2,
    IS_WEAK = 4,
    IS_FOREIGN = 8,
    IS_SETTLED = 16,
    IS_TABLE = 32,
    IS_BOUNDABLE = 64 /* an object of it may have a declared bound */
};

struct verdict {
    uintptr_t type;
    uint32_t known;
};

static struct verdict *cache;

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

static struct verdict *verdict_of(const struct graph *graph, uintptr_t type)
{
    struct verdict *verdict =
        &cache[(type >> 4) * 0x9E3779B97F4A7C15ull >> (64 - CACHE_BITS)];

    if (verdict->type != type || verdict->known == 0)
        *verdict = (struct verdict){type, judge_type(graph, type)};
    return verdict;
}

/* A class of a library, as its own attribute __module__ says. Static types are nobody's. */
static bool is_foreign(const struct graph *graph, uintptr_t type)
{
    struct verdict *verdict = verdict_of(graph, type);

    if (!(verdict->known & IS_SETTLED)) {
        verdict->known |= IS_SETTLED;
        if (!(graph_word(type + TYPE_FLAGS) & TYPE_IS_HEAP) || !python_read_is_users(graph, type))
            verdict->known |= IS_FOREIGN;
    }
    return verdict->known & IS_FOREIGN;
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
           verdict_of(graph, type)->known & IS_TYPE;
}

/* The collector's head before an object is part of a ring: what follows it leads back to it. Low bits
 * are marks. A false object has no such head, and nobody's traverse function should see one. */
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

/* ---- what it refers to ---- */

struct visitor {
    struct graph *graph;
    thing from;
    bool frame;
    uintptr_t object;
    int (*traverse)(void *, int (*)(void *, void *), void *);
};

static void take(const struct visitor *visitor, uintptr_t address)
{
    struct graph *graph = visitor->graph;

    if (pages_known(&graph->pages, address) || !python_objects_is(graph, address))
        return;
    /* The caller of a frame is a root of its own, while it runs. */
    if (visitor->frame && python_objects_type(address) == graph->python->frame_type)
        return;
    if (graph->user_only && python_objects_flags(address) & TYPE_IS_TYPE &&
        is_foreign(graph, address))
        return;
    graph_reach_object(graph, address, visitor->from, 0);
}

static int visit(void *object, void *context)
{
    const bool before = copy_may_fault(false);

    take(context, (uintptr_t)object);
    (void)copy_may_fault(before);
    return 0;
}

static void call_traverse(void *data)
{
    struct visitor *visitor = data;

    (void)visitor->traverse((void *)visitor->object, visit, visitor);
}

/* True: the type shows the collector everything that its objects refer to. */
static bool traverse(struct graph *graph, uintptr_t object, thing from)
{
    const uintptr_t type = python_objects_type(object);
    const uint64_t flags = graph_word(type + TYPE_FLAGS);
    const uintptr_t function = graph_word(type + TYPE_TRAVERSE);
    struct visitor visitor = {.graph = graph,
                              .from = from,
                              .frame = type == graph->python->frame_type,
                              .object = object};

    if (!(flags & TYPE_HAS_GC) || !function)
        return false;
    /* A type that is no heap type is not the collector's, and its function would refuse it. */
    if (flags & TYPE_IS_TYPE && !(graph_word(object + TYPE_FLAGS) & TYPE_IS_HEAP)) {
        const uintptr_t dict = graph_word(object + TYPE_DICT);

        if (dict && python_objects_is(graph, dict))
            graph_reach_object(graph, dict, from, object + TYPE_DICT);
        return true;
    }
    memcpy(&visitor.traverse, &function, sizeof(visitor.traverse));
    /* An object that is being made may have nothing where its type expects something. */
    graph->partial |= !copy_try(call_traverse, &visitor);
    return true;
}

/* Tables of a list, a dictionary or a set hold what their owner has shown already; bytes hold none. */
static void take_storage(struct graph *graph, uintptr_t start, uintptr_t end, thing from)
{
    for (uintptr_t at = start; at + 8 <= end; at += 8) {
        const uint32_t chunk = graph_find_chunk(graph, graph_word(at));

        if (chunk && graph->nodes.from[chunk] == 0 &&
            !python_objects_in(graph, graph->nodes.start[chunk], graph_end(graph, chunk)))
            graph_reach_storage(graph, chunk, from, at);
    }
}

/* A str in one piece ends before its type's fixed part does; only one that is not ASCII has a pointer,
 * to its UTF-8 form. */
static void scan_text(struct graph *graph, uintptr_t text, thing from)
{
    const struct python_offsets *offsets = &graph->python->python->offsets;
    uint32_t state;

    memcpy(&state, (const void *)(text + PYTHON_TEXT_STATE), sizeof(state));
    if (!(state & 1u << 5))
        take_storage(graph, text + 16, text + graph_word(python_objects_type(text) +
                                                         TYPE_BASIC_SIZE), from);
    else if (!(state & 1u << 6))
        take_storage(graph, text + offsets->text_ascii, text + offsets->text_other, from);
}

static void scan_own(struct graph *graph, uintptr_t object, thing from, bool traversed)
{
    const uintptr_t type = python_objects_type(object);
    const uint64_t flags = graph_word(type + TYPE_FLAGS);
    const uint32_t known = verdict_of(graph, type)->known;
    uintptr_t end = object + python_objects_size(graph, object);

    if (flags & (TYPE_IS_INT | TYPE_IS_BYTES | TYPE_IS_TUPLE) || known & IS_WEAK)
        return;
    if (graph_word(type + TYPE_ITEM_SIZE) && traversed && !(flags & TYPE_IS_TYPE)) {
        const uintptr_t items = graph_word(object + LENGTH) * graph_word(type + TYPE_ITEM_SIZE);

        end += items < ITEMS_SCANNED ? items : 0;
    }
    if (!pages_readable(&graph->pages, object, end - object))
        return;
    if (flags & TYPE_IS_TEXT) {
        scan_text(graph, object, from);
        return;
    }
    if (known & IS_TABLE)
        take_storage(graph, object + 16, end, from);
    else
        graph_scan(graph, object + 16, end, from, traversed);
    if (flags & TYPE_MANAGED_DICT && pages_readable(&graph->pages, object - 32, 16))
        take_storage(graph, object - 32, object - 16, from);
}

/* What a bounded container holds it will let go of: only where nothing else holds the blocks does it
 * count, so it waits until all others have been asked. */
static bool waits_its_turn(struct graph *graph, thing object, uintptr_t address)
{
    if (graph->bounded_open || graph->bounded_count == GRAPH_BOUNDED ||
        !(verdict_of(graph, python_objects_type(address))->known & IS_BOUNDABLE) ||
        python_label_bound(graph, address) == 0)
        return false;
    graph->bounded[graph->bounded_count++] = object;
    return true;
}

void python_objects_open_bounded(struct graph *graph)
{
    graph->bounded_open = true;
    for (unsigned i = 0; i < graph->bounded_count; i++)
        python_objects_expand(graph, graph->bounded[i]);
    graph->bounded_count = 0;
    graph_follow(graph);
}

void python_objects_expand(struct graph *graph, thing object)
{
    const uintptr_t address = graph->objects.address[object & INDEX_MASK];
    const uintptr_t type = python_objects_type(address);
    bool traversed;

    if (waits_its_turn(graph, object, address))
        return;
    traversed = traverse(graph, address, object);
    if (!traversed && graph_word(type + TYPE_FLAGS) & TYPE_IS_HEAP &&
        !(graph->user_only && is_foreign(graph, type)))
        graph_reach_object(graph, type, object, address + PYTHON_TYPE);
    scan_own(graph, address, object, traversed);
}

/* ---- what it does not show ---- */

/* Values in use of a function that waits may be stale: nobody clears them. */
static bool has_stale_words(const struct graph *graph, uintptr_t object)
{
    const struct python_view *view = graph->python;
    const uintptr_t type = python_objects_type(object);

    return type == view->frame_type || type == view->generator_type ||
           type == view->coroutine_type || type == view->async_type;
}

void python_objects_look_inside(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->objects.count; i++) {
        const uintptr_t object = graph->objects.address[i];
        const uintptr_t type = python_objects_type(object);
        const uint64_t flags = graph_word(type + TYPE_FLAGS);

        if (flags & (TYPE_IS_INT | TYPE_IS_BYTES | TYPE_IS_TUPLE | TYPE_IS_TEXT | TYPE_IS_TYPE) ||
            !(flags & TYPE_HAS_GC) || verdict_of(graph, type)->known & (IS_WEAK | IS_TABLE) ||
            has_stale_words(graph, object))
            continue;
        if (pages_readable(&graph->pages, object, python_objects_size(graph, object)))
            graph_scan(graph, object + 16, object + python_objects_size(graph, object),
                       i | OBJECT_BIT, false);
        graph_follow(graph);
    }
}

/* ---- numbers ---- */

/* An int of two digits may be a block's address: a library gives its handles to Python as numbers. */
static void take_int(struct graph *graph, uintptr_t object, thing from)
{
    enum { DIGIT = 30, DIGITS_AT = 24, TAG_SHIFT = 3, TAG_SIGN = 3 };
    const uintptr_t size = graph_word(object + LENGTH);
    uint32_t digits[2];

    if (graph->python->minor >= 12 ? size >> TAG_SHIFT != 2 || size & TAG_SIGN : size != 2)
        return;
    if (!pages_readable(&graph->pages, object, DIGITS_AT + sizeof(digits)))
        return;
    memcpy(digits, (const void *)(object + DIGITS_AT), sizeof(digits));
    graph_take_number(graph, digits[0] | (uintptr_t)digits[1] << DIGIT, from, object + DIGITS_AT);
}

void python_objects_take_numbers(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->objects.count; i++) {
        const uintptr_t object = graph->objects.address[i];

        if (graph->objects.from[i] != CLOSED && python_objects_flags(object) & TYPE_IS_INT)
            take_int(graph, object, i | OBJECT_BIT);
    }
    graph_follow(graph);
}
