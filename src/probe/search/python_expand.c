/* python_expand.c - see python_expand.h. */
#include "probe/search/python_expand.h"

#include <string.h>

#include "probe/copy/copy.h"
#include "probe/search/python_describe.h"
#include "probe/search/python_objects.h"
#include "probe/search/python_read.h"

#define ITEMS_SCANNED 4096ul /* bytes after the fixed part */

const struct graph_language python_expand_language = {
    .in = python_objects_in, .found = python_objects_found, .expand = python_expand};

/* A class of a library, as its own attribute __module__ says. Static types belong to no library. */
static bool is_foreign(const struct graph *graph, uintptr_t type)
{
    struct python_verdict *verdict = python_objects_verdict(graph, type);

    if (!(verdict->known & IS_SETTLED)) {
        verdict->known |= IS_SETTLED;
        if (!(graph_word(type + TYPE_FLAGS) & TYPE_IS_HEAP) || !python_read_is_users(graph, type))
            verdict->known |= IS_FOREIGN;
    }
    return verdict->known & IS_FOREIGN;
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
    /* A type that is not a heap type is unknown to the collector, and its function would refuse
     * it. */
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
    const uint32_t known = python_objects_verdict(graph, type)->known;
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
        !(python_objects_verdict(graph, python_objects_type(address))->known & IS_BOUNDABLE) ||
        python_describe_bound(graph, address) == 0)
        return false;
    graph->bounded[graph->bounded_count++] = object;
    return true;
}

void python_expand_open_bounded(struct graph *graph)
{
    graph->bounded_open = true;
    for (unsigned i = 0; i < graph->bounded_count; i++)
        python_expand(graph, graph->bounded[i]);
    graph->bounded_count = 0;
    graph_follow(graph);
}

void python_expand(struct graph *graph, thing object)
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

/* Values in use of a suspended function may be stale, because nothing clears them. */
static bool has_stale_words(const struct graph *graph, uintptr_t object)
{
    const struct python_view *view = graph->python;
    const uintptr_t type = python_objects_type(object);

    return type == view->frame_type || type == view->generator_type ||
           type == view->coroutine_type || type == view->async_type;
}

void python_expand_look_inside(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->objects.count; i++) {
        const uintptr_t object = graph->objects.address[i];
        const uintptr_t type = python_objects_type(object);
        const uint64_t flags = graph_word(type + TYPE_FLAGS);

        if (flags & (TYPE_IS_INT | TYPE_IS_BYTES | TYPE_IS_TUPLE | TYPE_IS_TEXT | TYPE_IS_TYPE) ||
            !(flags & TYPE_HAS_GC) || python_objects_verdict(graph, type)->known & (IS_WEAK | IS_TABLE) ||
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

void python_expand_take_numbers(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->objects.count; i++) {
        const uintptr_t object = graph->objects.address[i];

        if (graph->objects.from[i] != CLOSED && python_objects_flags(object) & TYPE_IS_INT)
            take_int(graph, object, i | OBJECT_BIT);
    }
    graph_follow(graph);
}
