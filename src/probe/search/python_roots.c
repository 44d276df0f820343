/* python_roots.c - see python_roots.h. */
#include "probe/search/python_roots.h"

#include <stdio.h>
#include <string.h>

#include "base/python_path.h"
#include "probe/core/state.h"
#include "probe/search/python_expand.h"
#include "probe/search/python_read.h"

#define PATH_BYTES 1024
#define ADAPTER "_tare" /* what the names of its modules begin with */
#define FRAMES_MOST 4096u
#define THREADS_MOST 1024u
#define STATE_BYTES 256u /* size of a thread's state that is not a block of its own */
#define VARIABLES_MOST 65536u

/* ---- modules ---- */

/* Directories of the standard library, as the module `os` lies in it. */
static void library_directory(const struct graph *graph, char *to, size_t size)
{
    const uintptr_t os = python_read_item(graph, graph->python->modules, "os");
    char *slash;

    to[0] = '\0';
    if (os && python_objects_of(graph, os, graph->python->module_type))
        (void)python_read_text(graph,
                               python_read_item(graph, graph_word(os + MODULE_DICT), "__file__"),
                               to, size);
    slash = strrchr(to, '/');
    if (slash)
        slash[1] = '\0';
}

static bool is_own_code(const char *file, const char *library)
{
    return file[0] && file[0] != '<' && !python_path_is_library(file) &&
           !(library[0] && strncmp(file, library, strlen(library)) == 0);
}

static bool is_text_of(const struct graph *graph, uintptr_t text, const char *want)
{
    char name[32];

    return python_read_text(graph, text, name, sizeof(name)) && strcmp(name, want) == 0;
}

/* The adapter holds nothing of the program's; what its texts share with the program leads nowhere. */
static bool is_adapters(const struct graph *graph, uintptr_t text)
{
    char name[32];

    return python_read_text(graph, text, name, sizeof(name)) &&
           strncmp(name, ADAPTER, sizeof(ADAPTER) - 1) == 0;
}

static void add_module(struct graph *graph, uintptr_t name, uintptr_t module, const char *library)
{
    struct root root = {.kind = OWNER_MODULE, .owner = module, .name = name};
    char file[PATH_BYTES];

    root.object = graph_word(module + MODULE_DICT);
    if (!python_read_is(graph, root.object, TYPE_IS_DICT))
        return;
    root.user = is_text_of(graph, name, "__main__") ||
                (python_read_text(graph, python_read_item(graph, root.object, "__file__"), file,
                                  sizeof(file)) &&
                 is_own_code(file, library));
    if (is_adapters(graph, name) || graph_add_root(graph, &root) != UINT32_MAX) {
        graph_close_object(graph, module);
        graph_close_object(graph, root.object);
    }
}

static bool find_modules(struct graph *graph)
{
    char library[PATH_BYTES];
    const uint32_t before = graph->root_count;
    void *name, *module;
    ssize_t at = 0;

    if (!python_read_is(graph, graph->python->modules, TYPE_IS_DICT))
        return false;
    library_directory(graph, library, sizeof(library));
    while (graph->python->dict_next((void *)graph->python->modules, &at, &name, &module))
        if (python_read_is(graph, (uintptr_t)name, TYPE_IS_TEXT) &&
            python_objects_is(graph, (uintptr_t)module) &&
            python_objects_of(graph, (uintptr_t)module, graph->python->module_type))
            add_module(graph, (uintptr_t)name, (uintptr_t)module, library);
    return graph->root_count > before;
}

/* ---- frames ---- */

static uint32_t tuple_length(const struct graph *graph, uintptr_t tuple)
{
    const uintptr_t length =
        python_read_is(graph, tuple, TYPE_IS_TUPLE) ? graph_word(tuple + LENGTH) : 0;

    return length < VARIABLES_MOST ? (uint32_t)length : 0;
}

uint32_t python_roots_variable_count(const struct graph *graph, uintptr_t code)
{
    const struct python_view *view = graph->python;

    if (view->minor >= 11)
        return tuple_length(graph, graph_word(code + view->code_names));
    return tuple_length(graph, graph_word(code + view->code_locals)) +
           tuple_length(graph, graph_word(code + view->code_cells)) +
           tuple_length(graph, graph_word(code + view->code_free));
}

bool python_roots_variables(const struct graph *graph, uintptr_t frame,
                            struct python_variables *out)
{
    const struct python_view *view = graph->python;
    const struct python_offsets *offsets = &view->python->offsets;
    uint32_t stack;

    if (!pages_readable(&graph->pages, frame, view->frame_locals))
        return false;
    *out = (struct python_variables){.first = frame + view->frame_locals};
    out->code = graph_word(frame + offsets->frame_code) & ~(uintptr_t)3;
    if (!python_objects_is(graph, out->code) ||
        python_objects_type(out->code) != view->python->symbols.code_type)
        return false;
    out->count = python_roots_variable_count(graph, out->code);
    memcpy(&stack, (const void *)(out->code + view->code_stack), sizeof(stack));
    out->all = out->count + (stack < VARIABLES_MOST ? stack : 0);
    return pages_readable(&graph->pages, out->first, 8ul * out->all);
}

static uintptr_t tuple_item(const struct graph *graph, uintptr_t tuple, uint32_t *index)
{
    const uint32_t length = tuple_length(graph, tuple);

    if (*index < length)
        return graph_word(tuple + TUPLE_ITEMS + 8ul * *index);
    *index -= length;
    return 0;
}

uintptr_t python_roots_variable_name(const struct graph *graph,
                                     const struct python_variables *variables, uint32_t index)
{
    const struct python_view *view = graph->python;
    uintptr_t name;

    if (index >= variables->count)
        return 0;
    if (view->minor >= 11)
        return tuple_item(graph, graph_word(variables->code + view->code_names), &index);
    name = tuple_item(graph, graph_word(variables->code + view->code_locals), &index);
    if (!name)
        name = tuple_item(graph, graph_word(variables->code + view->code_cells), &index);
    return name ? name : tuple_item(graph, graph_word(variables->code + view->code_free), &index);
}

static void add_frame(struct graph *graph, uintptr_t frame, const char *library)
{
    struct root root = {.kind = OWNER_FRAME, .object = frame};
    struct python_variables variables;
    char file[PATH_BYTES];

    if (!python_roots_variables(graph, frame, &variables))
        return;
    root.user = python_read_text(graph,
                                 graph_word(variables.code +
                                            graph->python->python->offsets.code_file),
                                 file, sizeof(file)) &&
                is_own_code(file, library);
    (void)graph_add_root(graph, &root);
}

static void find_frames(struct graph *graph, uintptr_t state, const char *library)
{
    const struct python_offsets *offsets = &graph->python->python->offsets;
    uintptr_t frame = graph_word(state + offsets->state_frame);

    if (frame && offsets->holder_frame != PYTHON_ABSENT)
        frame = graph_word(frame + offsets->holder_frame);
    for (unsigned i = 0; frame; i++) {
        if (i == FRAMES_MOST || !pages_readable(&graph->pages, frame, graph->python->frame_locals)) {
            graph->partial = true;
            return;
        }
        if (offsets->frame_owner == PYTHON_ABSENT ||
            *(const int8_t *)(frame + offsets->frame_owner) < 3)
            add_frame(graph, frame, library);
        frame = graph_word(frame + offsets->frame_previous);
    }
}

static void find_threads(struct graph *graph)
{
    void *interpreter = (void *)graph->python->interpreter;
    void *state = interpreter ? graph->python->first_thread(interpreter) : NULL;
    char library[PATH_BYTES];

    library_directory(graph, library, sizeof(library));
    graph->partial |= !state;
    for (unsigned i = 0; state; i++) {
        const struct root root = {.kind = OWNER_THREAD, .object = (uintptr_t)state};

        if (i == THREADS_MOST || !pages_readable(&graph->pages, (uintptr_t)state, STATE_BYTES)) {
            graph->partial = true;
            return;
        }
        find_frames(graph, (uintptr_t)state, library);
        (void)graph_add_root(graph, &root);
        state = graph->python->next_thread(state);
    }
    if (interpreter)
        (void)graph_add_root(graph, &(struct root){.kind = OWNER_THREAD,
                                                   .object = (uintptr_t)interpreter});
}

bool python_roots_find(struct graph *graph)
{
    if (!find_modules(graph))
        return false;
    find_threads(graph);
    return true;
}

/* ---- marking ---- */

static void mark_module(struct graph *graph, const struct root *root, thing id)
{
    graph_open_object(graph, root->object, id);
    graph_open_object(graph, root->owner, id);
}

static void mark_variables(struct graph *graph, const struct root *root, thing id)
{
    struct python_variables variables;

    if (!python_roots_variables(graph, root->object, &variables))
        return;
    for (uint32_t i = 0; i < variables.count; i++) {
        const uintptr_t at = variables.first + 8ul * i, value = graph_word(at) & ~(uintptr_t)3;

        if (python_objects_is(graph, value))
            graph_reach_object(graph, value, id, at);
    }
}

/* Values in use may be stale, because nothing clears them. */
static void mark_values(struct graph *graph, const struct root *root, thing id)
{
    struct python_variables variables;

    if (!python_roots_variables(graph, root->object, &variables))
        return;
    for (uint32_t i = variables.count; i < variables.all; i++) {
        const uintptr_t at = variables.first + 8ul * i, value = graph_word(at) & ~(uintptr_t)3;

        if (python_objects_found(graph, value))
            graph_reach_object(graph, value, id, at);
    }
}

/* A thread's state that is not a block of its own is one of the interpreter's variables. So is
 * the main interpreter's, which is too large to be searched as one thing. */
static void mark_thread(struct graph *graph, const struct root *root, thing id)
{
    const uint32_t chunk = graph_find_chunk(graph, root->object);

    if (chunk) {
        graph_reach_storage(graph, chunk, id, root->object);
        graph_scan(graph, graph->nodes.start[chunk], graph_end(graph, chunk), id, false);
    } else if (root->object != graph->python->interpreter) {
        graph_scan(graph, root->object, root->object + STATE_BYTES, id, false);
    }
}

typedef void root_fn(struct graph *graph, const struct root *root, thing id);

/* True: all targets are found. */
static bool mark(struct graph *graph, enum owner_kind kind, bool user, root_fn *fn)
{
    graph->user_only = user;
    for (uint32_t i = 0; i < graph->root_count; i++) {
        const struct root *root = &graph->roots[i];

        if (root->kind == kind && root->user == user)
            fn(graph, root, i | ROOT_BIT);
    }
    graph_follow(graph);
    return graph_found_all(graph);
}

/* Native memory leads from anything to anything: what objects say themselves comes first, for all
 * roots; then what each kind of root has in native memory, in the same order. Of the program's own, modules
 * and frames, the shorter way counts: a compiled function may lead to all that was ever computed. What holds
 * a block only for a while comes last: the values in use of a running function, and containers with a
 * declared bound, wherever they are. */
bool python_roots_mark(struct graph *graph)
{
    static const struct {
        enum owner_kind kind;
        bool user;
        root_fn *fn;
    } phases[] = {{OWNER_MODULE, true, mark_module},    {OWNER_FRAME, true, mark_variables},
                  {OWNER_FRAME, false, mark_variables}, {OWNER_MODULE, false, mark_module},
                  {OWNER_THREAD, false, mark_thread},   {OWNER_FRAME, true, mark_values},
                  {OWNER_FRAME, false, mark_values}};
    uint32_t until[sizeof(phases) / sizeof(phases[0])];
    const unsigned count = sizeof(phases) / sizeof(phases[0]);

    graph_defer_native(graph);
    for (unsigned i = 0; i < count; i++) {
        if (mark(graph, phases[i].kind, phases[i].user, phases[i].fn))
            return true;
        until[i] = graph->deferred_count;
    }
    python_expand_open_bounded(graph);
    until[count - 1] = graph->deferred_count;
    if (graph_found_all(graph))
        return true;
    for (unsigned i = 1; i < count; i++) {
        graph->user_only = phases[i].user;
        graph_follow_deferred(graph, until[i]);
        if (graph_found_all(graph))
            return true;
    }
    graph->user_only = false;
    python_expand_look_inside(graph);
    return graph_found_all(graph);
}

void python_roots_mark_libraries(struct graph *graph)
{
    graph_defer_native(graph);
    graph->bounded_open = true;
    (void)mark(graph, OWNER_MODULE, false, mark_module);
    graph_follow_deferred(graph, graph->deferred_count);
}
