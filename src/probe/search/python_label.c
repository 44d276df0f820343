/* python_label.c - see python_label.h. */
#include "probe/search/python_label.h"

#include <stdio.h>
#include <string.h>

#include "base/line_table.h"
#include "probe/search/python_attribute.h"
#include "probe/search/python_objects.h"
#include "probe/search/python_read.h"
#include "probe/search/python_roots.h"

#define ITEMS_MOST (1ul << 32)
#define BLOCK_ITEMS 64u /* of a deque */

static bool is_a(const struct graph *graph, uintptr_t object, uint64_t flag)
{
    (void)graph;
    return object && python_objects_flags(object) & flag;
}

static void set(struct search_owner *step, enum owner_kind kind, const char *name)
{
    step->kind = kind;
    (void)snprintf(step->name, sizeof(step->name), "%s", name);
}

static void set_text(const struct graph *graph, struct search_owner *step, enum owner_kind kind,
                     uintptr_t text)
{
    step->kind = kind;
    (void)python_read_text(graph, text, step->name, sizeof(step->name));
}

/* ---- containers ---- */

/* The key that has this value; 0: none. `as_key`: it is itself a key. */
static uintptr_t key_of(const struct graph *graph, uintptr_t dict, uintptr_t value, bool *as_key)
{
    void *key, *item;
    ssize_t at = 0;

    *as_key = false;
    while (graph->python->dict_next((void *)dict, &at, &key, &item)) {
        if ((uintptr_t)item == value)
            return (uintptr_t)key;
        *as_key |= (uintptr_t)key == value;
    }
    return 0;
}

static bool label_dict(const struct graph *graph, uintptr_t dict, uintptr_t value,
                       struct search_owner *step)
{
    bool as_key;
    const uintptr_t key = key_of(graph, dict, value, &as_key);

    if (!key && !as_key)
        return false;
    step->kind = key ? OWNER_KEY : OWNER_KEY_ITSELF;
    if (key)
        python_read_key(graph, key, step->name, sizeof(step->name));
    return true;
}

static bool label_items(uintptr_t items, uintptr_t count, uintptr_t value,
                        struct search_owner *step)
{
    for (uintptr_t i = 0; i < count && count < ITEMS_MOST; i++)
        if (graph_word(items + 8 * i) == value) {
            step->kind = OWNER_INDEX;
            step->index = i;
            return true;
        }
    return false;
}

/* Blocks of 64 items between a link to the left and one to the right. */
static bool label_deque(const struct graph *graph, uintptr_t deque, uintptr_t value,
                        struct search_owner *step)
{
    const uintptr_t length = graph_word(deque + LENGTH);
    uintptr_t block = graph_word(deque + 24), at = graph_word(deque + 40);

    for (uintptr_t i = 0; i < length && length < ITEMS_MOST; i++, at++) {
        if (at == BLOCK_ITEMS) {
            block = graph_word(block + 8 + 8 * BLOCK_ITEMS);
            at = 0;
        }
        if (at > BLOCK_ITEMS || !pages_readable(&graph->pages, block, 16 + 8 * BLOCK_ITEMS))
            return false;
        if (graph_word(block + 8 + 8 * at) == value) {
            step->kind = OWNER_INDEX;
            step->index = i;
            return true;
        }
    }
    return false;
}

static bool label_container(const struct graph *graph, uintptr_t parent, uintptr_t child,
                            struct search_owner *step)
{
    const struct python_view *view = graph->python;

    if (is_a(graph, parent, TYPE_IS_DICT))
        return label_dict(graph, parent, child, step);
    if (is_a(graph, parent, TYPE_IS_LIST))
        return label_items(graph_word(parent + LIST_ITEMS), graph_word(parent + LENGTH), child,
                           step);
    if (is_a(graph, parent, TYPE_IS_TUPLE))
        return label_items(parent + TUPLE_ITEMS, graph_word(parent + LENGTH), child, step);
    if (python_objects_of(graph, parent, view->set_type) ||
        python_objects_of(graph, parent, view->frozenset_type)) {
        step->kind = OWNER_KEY_ITSELF;
        return true;
    }
    return python_objects_named(parent, "collections.deque") &&
           label_deque(graph, parent, child, step);
}

/* ---- functions ---- */

static uintptr_t code_of(const struct graph *graph, uintptr_t function)
{
    for (uintptr_t at = 16; at < graph->python->function_closure; at += 8) {
        const uintptr_t code = graph_word(function + at);

        if (python_objects_is(graph, code) &&
            python_objects_type(code) == graph->python->python->symbols.code_type)
            return code;
    }
    return 0;
}

/* The variables of a function that does not run: only their names are there. */
static uintptr_t variable_name(const struct graph *graph, uintptr_t code, uint32_t index)
{
    struct python_variables all = {.code = code, .count = UINT32_MAX};

    return code ? python_roots_variable_name(graph, &all, index) : 0;
}

static uint32_t int_at(uintptr_t at)
{
    uint32_t value;

    memcpy(&value, (const void *)at, sizeof(value));
    return value;
}

/* Free variables are the last of all; closures have them in the same order. */
static unsigned label_closure(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                              struct search_owner *step)
{
    const uintptr_t code = code_of(graph, chain[0]), closure = chain[1];
    const uintptr_t count = graph_word(closure + LENGTH);
    const uint32_t all = code ? python_roots_variable_count(graph, code) : 0;

    if (!chain[2] || !label_items(closure + TUPLE_ITEMS, count, chain[2], step))
        return 0;
    set_text(graph, step, OWNER_CLOSURE,
             all >= count ? variable_name(graph, code, (uint32_t)(all - count + step->index)) : 0);
    step->index = 0;
    return chain[3] ? 3 : 2;
}

static unsigned label_default(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                              struct search_owner *step)
{
    const uintptr_t code = code_of(graph, chain[0]), values = chain[1];
    const uintptr_t count = graph_word(values + LENGTH);
    const uint32_t arguments = code ? int_at(code + graph->python->code_arguments) : 0;

    if (!chain[2] || !label_items(values + TUPLE_ITEMS, count, chain[2], step))
        return 0;
    set_text(graph, step, OWNER_DEFAULT,
             arguments >= count
                 ? variable_name(graph, code, (uint32_t)(arguments - count + step->index))
                 : 0);
    step->index = 0;
    return 2;
}

static unsigned label_function(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                               struct search_owner *step)
{
    const uintptr_t place = chain[0] + graph->python->function_closure;
    bool as_key;

    if (graph_word(place) == chain[1])
        return label_closure(graph, chain, step);
    if (graph_word(place - 16) == chain[1])
        return label_default(graph, chain, step);
    if (graph_word(place - 8) == chain[1] && chain[2] && is_a(graph, chain[1], TYPE_IS_DICT)) {
        set_text(graph, step, OWNER_DEFAULT, key_of(graph, chain[1], chain[2], &as_key));
        return 2;
    }
    return 0;
}

/* ---- frames ---- */

static uint32_t line_of(const struct graph *graph, uintptr_t frame, uintptr_t code)
{
    const struct python_offsets *offsets = &graph->python->python->offsets;
    const uintptr_t bytes = graph_word(code + offsets->code_table);
    struct line_table table = {.minor = graph->python->minor};

    memcpy(&table.first_line, (const void *)(code + offsets->code_line), sizeof(table.first_line));
    if (python_objects_is(graph, bytes) &&
        python_objects_type(bytes) == graph->python->python->symbols.bytes_type) {
        table.bytes = (const uint8_t *)(bytes + PYTHON_BYTES);
        table.size = graph_word(bytes + LENGTH);
    }
    return line_table_find(&table, python_position(frame, code, offsets));
}

void python_label_place(const struct graph *graph, uintptr_t frame, struct search_owner *step)
{
    const struct python_offsets *offsets = &graph->python->python->offsets;
    struct python_variables variables;

    if (!python_roots_variables(graph, frame, &variables))
        return;
    (void)python_read_text(graph, graph_word(variables.code + offsets->code_name), step->name,
                           sizeof(step->name));
    (void)python_read_text(graph, graph_word(variables.code + offsets->code_file), step->file,
                           sizeof(step->file));
    step->line = line_of(graph, frame, variables.code);
}

void python_label_local(const struct graph *graph, uintptr_t frame, uintptr_t value,
                        struct search_owner *step)
{
    struct python_variables variables;

    if (!frame || !python_roots_variables(graph, frame, &variables))
        return;
    for (uint32_t i = 0; i < variables.all; i++)
        if ((graph_word(variables.first + 8ul * i) & ~(uintptr_t)3) == value) {
            if (i < variables.count)
                set_text(graph, step, OWNER_LOCAL,
                         python_roots_variable_name(graph, &variables, i));
            else
                set(step, OWNER_PART, "a value in use");
            return;
        }
}

/* The frame of a frame object: itself, before 3.11. */
static uintptr_t frame_of(const struct graph *graph, uintptr_t object)
{
    return graph->python->frame_object == PYTHON_ABSENT
               ? object
               : graph_word(object + graph->python->frame_object);
}

static bool is_generator(const struct graph *graph, uintptr_t object)
{
    const uintptr_t type = python_objects_type(object);

    return type == graph->python->generator_type || type == graph->python->coroutine_type ||
           type == graph->python->async_type;
}

/* From 3.11 on a generator's frame is part of it: where its code is, there is the frame. */
static uintptr_t frame_inside(const struct graph *graph, uintptr_t generator)
{
    const uint16_t code_at = graph->python->python->offsets.frame_code;
    const uint16_t owner = graph->python->python->offsets.frame_owner;
    const uintptr_t end = graph_word(python_objects_type(generator) + TYPE_BASIC_SIZE);

    for (uintptr_t at = 16 + code_at; at + 8 <= end; at += 8) {
        const uintptr_t code = graph_word(generator + at) & ~(uintptr_t)3;

        if (python_objects_is(graph, code) &&
            python_objects_type(code) == graph->python->python->symbols.code_type &&
            *(const int8_t *)(generator + at - code_at + owner) == 1)
            return generator + at - code_at;
    }
    return 0;
}

static void label_in_frame(const struct graph *graph, uintptr_t frame, uintptr_t value,
                           struct search_owner *step)
{
    python_label_local(graph, frame, value, step);
    if (step->kind == OWNER_LOCAL) {
        char name[SEARCH_NAME];

        memcpy(name, step->name, sizeof(name));
        python_label_place(graph, frame, step);
        memcpy(step->name, name, sizeof(name));
    }
}

static unsigned label_running(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                              struct search_owner *step)
{
    const struct python_view *view = graph->python;
    const uintptr_t type = python_objects_type(chain[0]);

    if (type == view->traceback_type)
        return 1; /* to the next one, or to its frame: the variable says where */
    if (type == view->frame_type) {
        label_in_frame(graph, frame_of(graph, chain[0]), chain[1], step);
        return step->kind ? 1 : 0;
    }
    if (!is_generator(graph, chain[0]))
        return 0;
    if (python_objects_type(chain[1]) == view->frame_type)
        return 1;
    if (view->frame_object != PYTHON_ABSENT)
        label_in_frame(graph, frame_inside(graph, chain[0]), chain[1], step);
    return step->kind ? 1 : 0;
}

/* ---- all ---- */

/* A cache of results: its dictionary from keys to results, or to links with results. */
static unsigned label_cache(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                            struct search_owner *step)
{
    if (is_a(graph, chain[1], TYPE_IS_DICT) && chain[2] &&
        label_dict(graph, chain[1], chain[2], step))
        return 2;
    if (python_objects_type(chain[1]) == graph->python->function_type)
        return 0;
    set(step, OWNER_PART, "a cached result");
    return 1;
}

static unsigned label_special(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                              struct search_owner *step)
{
    if (python_objects_type(chain[0]) == graph->python->function_type)
        return label_function(graph, chain, step);
    if (python_objects_named(chain[0], "functools._lru_cache_wrapper"))
        return label_cache(graph, chain, step);
    /* Each thread's attributes are a dictionary of its own, in a dictionary of all of them. */
    if (python_objects_named(chain[0], "_thread._local") && is_a(graph, chain[1], TYPE_IS_DICT) &&
        is_a(graph, chain[2], TYPE_IS_DICT) && chain[3]) {
        bool as_key;

        set_text(graph, step, OWNER_ATTRIBUTE, key_of(graph, chain[2], chain[3], &as_key));
        return 3;
    }
    return label_running(graph, chain, step);
}

unsigned python_label(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                      struct search_owner *step)
{
    unsigned taken = label_special(graph, chain, step);

    if (taken)
        return taken;
    if (label_container(graph, chain[0], chain[1], step))
        return 1;
    if (python_attribute_is_dict(graph, chain[0], chain[1]) && chain[2]) {
        bool as_key;
        const uintptr_t key = key_of(graph, chain[1], chain[2], &as_key);

        set_text(graph, step, key ? OWNER_ATTRIBUTE : OWNER_PART, key);
        return 2;
    }
    python_attribute_name(graph, chain[0], chain[1], step);
    return 1;
}
