/* graph.c - see graph.h. */
#include "probe/search/graph.h"

#include <string.h>

#include "probe/copy/copy.h"
#include "probe/core/raw.h"
#include "probe/record/pool.h"
#include "probe/search/native_class.h"

#define ROOTS_FIRST 16384u
#define OBJECTS_FIRST (1u << 18)
#define SLOT_BITS_LEAST 16
#define ANCESTORS_MOST 256
#define AHEAD 8 /* things that are taken next */
#define LARGE (1ul << 20) /* a block of this size is probed before it is read */
#define LOOKS 16          /* the probe reads this many of its pages */
#define LARGE_READ (256ul << 20) /* bytes of such blocks that are read in the end, if need be */

/* ---- growing ---- */

/* Makes an array of records twice as long; it may move. */
static bool grow(void *array, uint32_t record, uint32_t room)
{
    return room <= INDEX_MASK / 2 &&
           copy_grow(array, (size_t)room * record, 2 * (size_t)room * record);
}

static bool grow_queue(void *list, size_t bytes, size_t new_bytes)
{
    void **at = list;

    if (bytes)
        return copy_grow(list, bytes, new_bytes);
    *at = copy_map(new_bytes);
    return *at != NULL;
}

bool graph_init(struct graph *graph)
{
    struct objects *objects = &graph->objects;

    graph->root_room = ROOTS_FIRST;
    graph->roots = copy_map(ROOTS_FIRST * sizeof(struct root));
    graph->queue.grow = grow_queue;
    if (!graph->python)
        return graph->roots != NULL;
    objects->room = OBJECTS_FIRST;
    objects->address = copy_map(OBJECTS_FIRST * sizeof(uintptr_t));
    objects->where = copy_map(OBJECTS_FIRST * sizeof(uintptr_t));
    objects->from = copy_map(OBJECTS_FIRST * sizeof(thing));
    return graph->roots && objects->address && objects->where && objects->from;
}

/* Private pages that are given back are zero when they are next read. */
static void clear(void *array, size_t bytes)
{
    if (array)
        (void)syscall(SYS_madvise, array, bytes, MADV_DONTNEED);
}

void graph_forget(struct graph *graph)
{
    const size_t room = (size_t)graph->nodes.count + 1;
    struct objects *objects = &graph->objects;

    clear(graph->nodes.where, room * sizeof(uintptr_t));
    clear(graph->nodes.from, room * sizeof(thing));
    clear(graph->nodes.words, room);
    if (objects->slots)
        copy_release(objects->slots, sizeof(uint32_t) << objects->slot_bits);
    objects->slots = NULL;
    objects->count = objects->closed = 0;
    pages_forget(&graph->pages);
    doubt_restart(&graph->queue);
    graph->root_count = graph->late_count = 0;
    graph->deferred_count = graph->deferred_done = 0;
    graph->bounded_count = 0;
    graph->bounded_open = false;
    graph->user_only = graph->exact = graph->objects_reported = false;
}

uint32_t graph_add_root(struct graph *graph, const struct root *root)
{
    if (graph->root_count == graph->root_room) {
        graph->partial = true;
        return UINT32_MAX;
    }
    graph->roots[graph->root_count] = *root;
    return graph->root_count++;
}

/* It belongs to an object that shows all objects it refers to, and is of no known class. */
static bool may_be_buffer(const struct graph *graph, uint32_t chunk)
{
    struct native_class class;

    return graph->nodes.words[chunk] & WORD_PLAIN && graph->nodes.from[chunk] & OBJECT_BIT &&
           !native_class_of(&graph->nodes, &graph->pages, graph->nodes.start[chunk],
                            graph_end(graph, chunk), &class);
}

static uint32_t doubt_of_chunk(const struct graph *graph, uint32_t chunk)
{
    return doubt_of(graph_end(graph, chunk) - graph->nodes.start[chunk], may_be_buffer(graph, chunk));
}

/* Without memory it is known and leads no further: the search has failed. */
static void put_in_queue(struct graph *graph, thing reached)
{
    (void)doubt_put(&graph->queue, reached,
                    reached & OBJECT_BIT ? 0 : doubt_of_chunk(graph, reached));
}

/* ---- finding ---- */

uint32_t graph_find_chunk(const struct graph *graph, uintptr_t address)
{
    return nodes_find(&graph->nodes, &graph->pages, address);
}

static uint32_t slot_of(const struct objects *objects, uintptr_t address)
{
    const uint32_t mask = (1u << objects->slot_bits) - 1;
    uint32_t at = (uint32_t)((address >> 3) * 0x9E3779B97F4A7C15ull >> (64 - objects->slot_bits));

    while (objects->slots[at] && objects->address[objects->slots[at] - 1] != address)
        at = (at + 1) & mask;
    return at;
}

static bool make_slots(struct objects *objects)
{
    objects->slot_bits = SLOT_BITS_LEAST;
    while (objects->count >= 1u << (objects->slot_bits - 1))
        objects->slot_bits++;
    objects->slots = copy_map(sizeof(uint32_t) << objects->slot_bits);
    for (uint32_t i = 0; objects->slots && i < objects->count; i++)
        objects->slots[slot_of(objects, objects->address[i])] = i + 1;
    return objects->slots != NULL;
}

thing graph_find_object(struct graph *graph, uintptr_t address)
{
    struct objects *objects = &graph->objects;
    uint32_t found;

    if (!pages_known(&graph->pages, address) || (!objects->slots && !make_slots(objects)))
        return 0;
    found = objects->slots[slot_of(objects, address)];
    return found && objects->from[found - 1] != CLOSED ? (found - 1) | OBJECT_BIT : 0;
}

thing graph_from(const struct graph *graph, thing reached)
{
    return reached & OBJECT_BIT ? graph->objects.from[reached & INDEX_MASK]
                                : graph->nodes.from[reached];
}

uintptr_t graph_where(const struct graph *graph, thing reached)
{
    return reached & OBJECT_BIT ? graph->objects.where[reached & INDEX_MASK]
                                : graph->nodes.where[reached];
}

/* ---- objects ---- */

static bool object_room(struct objects *objects)
{
    if (objects->count < objects->room)
        return true;
    if (!grow(&objects->address, sizeof(uintptr_t), objects->room) ||
        !grow(&objects->where, sizeof(uintptr_t), objects->room) ||
        !grow(&objects->from, sizeof(thing), objects->room))
        return false;
    objects->room *= 2;
    return true;
}

/* Its index; UINT32_MAX: no room. */
static uint32_t enter(struct graph *graph, uintptr_t address, thing from, uintptr_t where)
{
    struct objects *objects = &graph->objects;

    if (!object_room(objects))
        return UINT32_MAX;
    pages_know(&graph->pages, address);
    objects->address[objects->count] = address;
    objects->from[objects->count] = from;
    objects->where[objects->count] = where;
    return objects->count++;
}

void graph_close_object(struct graph *graph, uintptr_t address)
{
    if (!pages_known(&graph->pages, address) && enter(graph, address, CLOSED, 0) != UINT32_MAX)
        graph->objects.closed = graph->objects.count;
}

static void go_on_with(struct graph *graph, uint32_t index)
{
    const uintptr_t address = graph->objects.address[index];
    const uint32_t chunk = graph_find_chunk(graph, address);

    if (chunk && graph->nodes.from[chunk] == 0)
        graph_reach_storage(graph, chunk, index | OBJECT_BIT, address);
    if (!chunk)
        pages_leaf(&graph->pages, address)->flags[pages_index(address)] |= PAGE_PYTHON;
    put_in_queue(graph, index | OBJECT_BIT);
}

void graph_open_object(struct graph *graph, uintptr_t address, thing from)
{
    struct objects *objects = &graph->objects;

    for (uint32_t i = 0; i < objects->closed; i++)
        if (objects->address[i] == address && objects->from[i] == CLOSED) {
            objects->from[i] = from;
            go_on_with(graph, i);
        }
}

void graph_reach_object(struct graph *graph, uintptr_t address, thing from, uintptr_t where)
{
    uint32_t index;

    if (pages_known(&graph->pages, address))
        return;
    index = enter(graph, address, from, where);
    if (index != UINT32_MAX)
        go_on_with(graph, index);
}

/* ---- chunks and words ---- */

void graph_reach_storage(struct graph *graph, uint32_t chunk, thing from, uintptr_t where)
{
    if (graph->nodes.from[chunk])
        return;
    graph->nodes.from[chunk] = from;
    graph->nodes.where[chunk] = where;
}

static void reach_chunk(struct graph *graph, uint32_t chunk, thing from, uintptr_t where,
                        bool chunks_only)
{
    const uintptr_t object =
        graph->python ? graph->language->in(graph, graph->nodes.start[chunk],
                                          graph_end(graph, chunk))
                      : 0;

    if (!object) {
        graph_reach_storage(graph, chunk, from, where);
        if (chunks_only)
            graph->nodes.words[chunk] |= WORD_PLAIN;
        put_in_queue(graph, chunk);
    } else if (!chunks_only) {
        graph_reach_object(graph, object, from, where);
    }
}

/* Of the path from a root to `at`; UINT32_MAX: it leads through this chunk, or it is too long to follow. */
static uint32_t doubt_of_path(const struct graph *graph, thing at, uint32_t chunk)
{
    uint32_t doubt = 0;

    for (unsigned i = 0; i < ANCESTORS_MOST; i++) {
        if (at & ROOT_BIT)
            return doubt;
        if (at == chunk)
            return UINT32_MAX;
        doubt += at & OBJECT_BIT ? 0 : doubt_of_chunk(graph, at);
        at = graph_from(graph, at);
    }
    return UINT32_MAX;
}

/* Read before for blocks alone, it is now known to be of native code, which may hold objects. What led
 * to it first may have been a stale word in some buffer: the path that is doubted less counts. */
static void read_again(struct graph *graph, uint32_t chunk, thing from, uintptr_t where)
{
    if (!graph->objects_reported &&
        doubt_of_path(graph, from, chunk) < doubt_of_path(graph, graph->nodes.from[chunk], chunk)) {
        graph->nodes.from[chunk] = from;
        graph->nodes.where[chunk] = where;
    }
    graph->nodes.words[chunk] &= (uint8_t)~WORD_PLAIN;
    put_in_queue(graph, chunk);
}

static void note_word(struct nodes *nodes, uint32_t chunk, uintptr_t value)
{
    uint8_t *words = &nodes->words[chunk];

    if (value == nodes->start[chunk])
        *words |= WORD_START;
    else if ((*words & ~(WORD_START | WORD_PLAIN)) < WORDS_MANY)
        ++*words;
}

static void take_word(struct graph *graph, uintptr_t at, thing from, bool chunks_only)
{
    const uintptr_t value = graph_word(at);
    const struct pages_leaf *leaf = pages_leaf(&graph->pages, value);

    if (!leaf)
        return;
    if (leaf->node[pages_index(value)]) {
        const uint32_t chunk = graph_find_chunk(graph, value);

        if (chunk) {
            note_word(&graph->nodes, chunk, value);
            if (graph->nodes.from[chunk] == 0)
                reach_chunk(graph, chunk, from, at, chunks_only);
            else if (graph->nodes.words[chunk] & WORD_PLAIN && !chunks_only)
                read_again(graph, chunk, from, at);
            return;
        }
    }
    if (graph->python && !chunks_only && graph->language->found(graph, value))
        graph_reach_object(graph, value, from, at);
}

void graph_take_number(struct graph *graph, uintptr_t value, thing from, uintptr_t where)
{
    const uint32_t chunk = graph_find_chunk(graph, value);

    if (!chunk || graph->nodes.start[chunk] != value || graph->nodes.from[chunk])
        return;
    note_word(&graph->nodes, chunk, value);
    reach_chunk(graph, chunk, from, where, true);
}

void graph_scan(struct graph *graph, uintptr_t start, uintptr_t end, thing from, bool chunks_only)
{
    const uintptr_t low = graph->pages.low, span = graph->pages.span;

    for (uintptr_t at = (start + 7) & ~7ul; at + 8 <= end; at += 8)
        if (graph_word(at) - low < span)
            take_word(graph, at, from, chunks_only);
    graph->scanned += end - start;
}

static bool page_holds_pointers(const struct graph *graph, uintptr_t page)
{
    if (!(pages_flags(&graph->pages, page) & PAGE_PRESENT))
        return false;
    for (uintptr_t at = page; at < page + PAGE_BYTES; at += 8)
        if (pages_flags(&graph->pages, graph_word(at)) & PAGE_READABLE)
            return true;
    return false;
}

/* Large blocks are numbers, most of them: no pointer on any of a few pages, none at all. */
static bool holds_pointers(const struct graph *graph, uintptr_t start, uintptr_t end)
{
    const uintptr_t first = (start + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    const uintptr_t count = (end - first) / PAGE_BYTES;

    if (end - start < LARGE)
        return true;
    for (uintptr_t i = 0; i < LOOKS; i++)
        if (page_holds_pointers(graph, first + i * (count - 1) / (LOOKS - 1) * PAGE_BYTES))
            return true;
    return false;
}

/* The numbers in a framework's pool are not pointers, and an allocator that keeps a list of its
 * blocks does not hold their contents. A context, a device or a client knows all that its
 * framework has made, and every tensor knows them: what they lead to is searched after all other
 * objects. */
static bool is_bookkeeping(struct graph *graph, uint32_t chunk, const struct native_class *class)
{
    if (pool_is_here() && pool_holds(graph->nodes.start[chunk]))
        return true;
    if (class->holds_nothing)
        return true;
    if (!class->hub || graph->late_count == GRAPH_LATE)
        return false;
    graph->late[graph->late_count++] = chunk;
    return true;
}

static void scan_words(struct graph *graph, uint32_t chunk, bool plain)
{
    const uintptr_t end = graph_end(graph, chunk);
    uintptr_t next;

    for (uintptr_t at = graph->nodes.start[chunk]; at < end; at = next) {
        next = (at & ~(PAGE_BYTES - 1)) + PAGE_BYTES;
        next = next < end ? next : end;
        if (pages_flags(&graph->pages, at) & PAGE_PRESENT)
            graph_scan(graph, at, next, chunk, plain);
    }
}

static void scan_chunk(struct graph *graph, uint32_t chunk)
{
    const uintptr_t start = graph->nodes.start[chunk], end = graph_end(graph, chunk);
    struct native_class class = {.hub = false};
    const bool known = native_class_of(&graph->nodes, &graph->pages, start, end, &class);

    if (holds_pointers(graph, start, end) && !is_bookkeeping(graph, chunk, &class))
        scan_words(graph, chunk, graph->nodes.words[chunk] & WORD_PLAIN && !known);
}

void graph_read_large(struct graph *graph)
{
    uintptr_t read = 0;

    for (uint32_t i = 1; i <= graph->nodes.count; i++) {
        const uintptr_t start = graph->nodes.start[i], end = graph_end(graph, i);
        struct native_class class = {.hub = false};

        if (end - start < LARGE || !graph->nodes.from[i] || holds_pointers(graph, start, end))
            continue;
        (void)native_class_of(&graph->nodes, &graph->pages, start, end, &class);
        if (is_bookkeeping(graph, i, &class))
            continue;
        read += end - start;
        if (read > LARGE_READ) {
            graph->partial = true;
            return;
        }
        scan_words(graph, i, graph->nodes.words[i] & WORD_PLAIN);
    }
    graph_follow(graph);
}

/* Most of the time would go to waiting for memory: what comes soon is fetched now. */
static void fetch(const struct graph *graph)
{
    const thing reached = doubt_ahead(&graph->queue, AHEAD);

    if (reached & OBJECT_BIT)
        __builtin_prefetch((const void *)graph->objects.address[reached & INDEX_MASK]);
    else if (reached)
        __builtin_prefetch((const void *)graph->nodes.start[reached]);
}

void graph_follow(struct graph *graph)
{
    thing reached;

    while (doubt_take(&graph->queue, &reached)) {
        fetch(graph);
        if (reached & OBJECT_BIT)
            graph->language->expand(graph, reached);
        else if (graph->exact && graph->deferred_count < graph->nodes.count)
            graph->deferred[graph->deferred_count++] = reached;
        else
            scan_chunk(graph, reached);
    }
    doubt_restart(&graph->queue);
}

void graph_defer_native(struct graph *graph)
{
    if (!graph->deferred)
        graph->deferred = copy_map(((size_t)graph->nodes.count + 1) * sizeof(*graph->deferred));
    graph->exact = graph->deferred != NULL;
}

void graph_follow_deferred(struct graph *graph, uint32_t until)
{
    graph->exact = false;
    for (; graph->deferred_done < until; graph->deferred_done++)
        put_in_queue(graph, graph->deferred[graph->deferred_done]);
    graph_follow(graph);
}

/* Who led to such a thing says nothing of what it holds: it is a root of its own. */
void graph_follow_late(struct graph *graph)
{
    for (unsigned i = 0; i < graph->late_count; i++) {
        const uint32_t chunk = graph->late[i];
        const uint32_t root = graph_add_root(
            graph, &(struct root){.kind = OWNER_RUNTIME, .object = graph->nodes.start[chunk]});

        if (root != UINT32_MAX)
            graph->nodes.from[chunk] = root | ROOT_BIT;
        scan_words(graph, chunk, false);
    }
    graph->late_count = 0;
    graph_follow(graph);
}

/* ---- the targets of the search ---- */

static bool is_reached(const struct graph *graph, const struct search_target *target)
{
    const uint32_t chunk = graph_find_chunk(graph, target->start);

    if (chunk)
        return graph->nodes.from[chunk] != 0;
    return pages_known(&graph->pages, target->start) ||
           pages_known(&graph->pages, target->start + 16) ||
           pages_known(&graph->pages, target->start + 32);
}

uint32_t graph_reached(const struct graph *graph, const struct search_site *site)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < site->count; i++)
        reached += is_reached(graph, &site->targets[i]);
    return reached;
}

bool graph_found_all(const struct graph *graph)
{
    for (unsigned s = 0; s < graph->task->site_count; s++) {
        const struct search_site *site = &graph->task->sites[s];

        if (graph_reached(graph, site) * 10ull < site->count * 9ull)
            return false;
    }
    return true;
}
