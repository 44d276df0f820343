/* places.c - see places.h. */
#include "doctor/source/places.h"

#include <stdio.h>
#include <string.h>

#include "base/adapter_files.h"
#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/source/as_run.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/source/native_places.h"
#include "doctor/source/original.h"
#include "doctor/source/python_lines.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/source.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"

#define LOOKUP_MAX 256 /* places of one stack, before inner ones are left out */

struct known_module {
    struct symbols_module *symbols; /* NULL: no memory */
    const char *base_name;          /* in the arena; NULL: not looked up yet */
    bool runtime;                   /* it only serves the user's code (runtimes.h) */
    bool library;                   /* of a native program: installed, not a part of it */
};

/* A function of Python or JavaScript. */
struct known_function {
    const char *file; /* in the arena; NULL: not known */
    const char *name; /* in the arena; NULL: not looked up yet */
    bool user;        /* code of the user, not of a library */
};

struct known_stack {
    const struct place *places; /* in the arena */
    size_t count;               /* of places */
    bool known;                 /* the stack was looked up */
};

struct places {
    const struct model *model;    /* borrowed */
    struct symbols *symbols;      /* borrowed */
    struct sources *sources;      /* borrowed */
    struct originals *originals;  /* owned */
    struct as_run *as_run;        /* owned; NULL: no directory is known */
    struct arena *arena;          /* borrowed */
    const struct model *own;      /* borrowed: the run's own ledger; NULL: none */
    struct known_module *modules; /* owned; index as in model->modules */
    struct known_function *code;    /* owned; index as in model->code */
    struct known_function *scripts; /* owned; index as in model->scripts */
    struct known_stack *stacks;   /* owned; index: stack id - 1 */
    const char **problems;        /* owned; sentences about modules that cannot be read */
    size_t problem_count;
};

struct places *places_new(const struct model *model, struct symbols *symbols,
                          struct sources *sources, struct arena *arena)
{
    struct places *places = mem_zalloc(sizeof(*places));

    if (!places)
        return NULL;
    *places =
        (struct places){.model = model, .symbols = symbols, .sources = sources, .arena = arena};
    places->modules = mem_zalloc_array(model->module_count, sizeof(*places->modules));
    places->code = mem_zalloc_array(model->code_count, sizeof(*places->code));
    places->scripts = mem_zalloc_array(model->script_count, sizeof(*places->scripts));
    places->stacks = mem_zalloc_array(model->frame_count, sizeof(*places->stacks));
    places->problems = mem_zalloc_array(model->module_count, sizeof(*places->problems));
    places->originals = originals_new(sources, arena);
    if (places->originals && places->modules && places->code && places->scripts &&
        places->stacks && places->problems)
        return places;
    places_free(places);
    return NULL;
}

void places_free(struct places *places)
{
    if (places) {
        mem_free(places->modules);
        mem_free(places->code);
        mem_free(places->scripts);
        mem_free(places->stacks);
        mem_free((void *)places->problems);
        originals_free(places->originals);
        as_run_free(places->as_run);
    }
    mem_free(places);
}

size_t places_problems(const struct places *places, const char *const **out)
{
    *out = places->problems;
    return places->problem_count;
}

/* Does the module only serve the user's code? The executable does not, even with the allocator in it. */
static bool serves(const struct model *model, const struct model_module *module,
                   const char *base_name)
{
    return runtimes_module(base_name) || runtimes_interpreter(base_name) ||
           (model->allocator[0] && strcmp(model->allocator, module->path) == 0 &&
            strcmp(model->program, module->path) != 0);
}

/* In a process without Python and JavaScript code: a library that was installed. */
static bool is_library(const struct model *model, const struct model_module *module)
{
    return model->code_count == 0 && model->script_count == 0 &&
           !text_same(model->program, module->path) && runtimes_installed(module->path);
}

static struct known_module *module_of(struct places *places, uint32_t unit)
{
    const struct model_module *module = &places->model->modules[unit - 1];
    struct known_module *known = &places->modules[unit - 1];
    const char *slash = strrchr(module->path, '/');
    const char *name = slash ? slash + 1 : module->path, *problem;

    if (known->base_name)
        return known;
    known->base_name = arena_text(places->arena, name, strlen(name));
    known->runtime = serves(places->model, module, name);
    known->library = is_library(places->model, module);
    known->symbols =
        symbols_open(places->symbols, module->path, module->build_id, module->build_id_size);
    problem = known->symbols ? symbols_problem(known->symbols) : NULL;
    if (problem && !known->runtime)
        places->problems[places->problem_count++] = problem;
    return known->base_name ? known : NULL;
}

void places_quote(struct places *places, struct place *place)
{
    if (!place->file)
        return;
    place->text = sources_line(places->sources, place->file, place->line);
    place->changed = !place->text && sources_changed(places->sources, place->file);
}

static void fill_from_symbol(struct places *places, const struct known_module *module,
                             const struct symbol *symbol, struct place *place)
{
    *place = (struct place){.file = symbol->file,
                            .line = symbol->line,
                            .function = symbol->function,
                            .module = module->base_name,
                            .inlined = symbol->inlined};
    place->user =
        !module->runtime &&
        !runtimes_function(symbol->linkage ? symbol->linkage : symbol->function, symbol->file);
    place->library = place->user && module->library;
    if (place->user)
        places_quote(places, place);
}

/* The offset is a return address, so the call ends one byte before it. */
static size_t fill_native(struct places *places, const struct model_frame *frame, struct place *out,
                          size_t room)
{
    const struct symbol *found = NULL;
    struct known_module *module;
    size_t count = 0;

    if (frame->unit == 0 || frame->unit > places->model->module_count) {
        out[0] = (struct place){
            .function = arena_print(places->arena, "0x%llx", (unsigned long long)frame->offset),
            .user = true};
        return 1;
    }
    module = module_of(places, frame->unit);
    if (!module)
        return 0;
    if (module->symbols && frame->offset > 0)
        count = symbols_find(places->symbols, module->symbols, frame->offset - 1, &found);
    for (size_t i = 0; i < count && i < room; i++) {
        fill_from_symbol(places, module, &found[i], &out[i]);
        if (!out[i].function)
            out[i].function = module->base_name;
    }
    if (count == 0)
        out[0] =
            (struct place){.function = arena_print(places->arena, "%s+0x%llx", module->base_name,
                                                   (unsigned long long)frame->offset),
                           .module = module->base_name,
                           .user = !module->runtime,
                           .library = !module->runtime && module->library};
    return count == 0 ? 1 : count < room ? count : room;
}

/* Completes a function whose file and owner are set. NULL: no memory. */
static const struct known_function *complete(struct places *places, struct known_function *known,
                                             const char *name, const char *without_name)
{
    if (known->file && known->user)
        sources_script(places->sources, known->file);
    known->name = name[0] ? arena_text(places->arena, name, strlen(name)) : without_name;
    return known->name ? known : NULL;
}

static const struct known_function *code_of(struct places *places, uint32_t unit)
{
    const struct model_code *code = &places->model->code[unit - 1];
    struct known_function *known = &places->code[unit - 1];

    if (known->name)
        return known;
    known->user = !runtimes_python(code->file);
    known->file = code->file[0] ? arena_text(places->arena, code->file, strlen(code->file)) : NULL;
    return complete(places, known, code->name, "(a Python function)");
}

static size_t fill_python(struct places *places, const struct model_frame *frame, struct place *out)
{
    const struct known_function *code;

    if (frame->unit == 0 || frame->unit > places->model->code_count) {
        out[0] = (struct place){.function = "(a Python function)",
                                .module = language_name(LANGUAGE_PYTHON),
                                .language = LANGUAGE_PYTHON,
                                .user = true};
        return 1;
    }
    code = code_of(places, frame->unit);
    if (!code)
        return 0;
    out[0] = (struct place){.file = code->file,
                            .line = python_line(&places->model->code[frame->unit - 1],
                                                frame->offset),
                            .function = code->name,
                            .module = language_name(LANGUAGE_PYTHON),
                            .language = LANGUAGE_PYTHON,
                            .user = code->user};
    if (code->user)
        places_quote(places, &out[0]);
    return 1;
}

const struct place *places_python(struct places *places, uint32_t unit, uint64_t offset)
{
    const struct model_frame frame = {.kind = FRAME_PYTHON, .unit = unit, .offset = offset};
    struct place *out = unit > 0 && unit <= places->model->code_count
                            ? arena_take(places->arena, 1, sizeof(*out))
                            : NULL;

    return out && fill_python(places, &frame, out) == 1 ? out : NULL;
}

/* V8 names a module by its path, or by the URL of its path. */
static const char *path_of_script(struct places *places, const char *file)
{
    char path[4096];

    if (!as_run_path(file, strlen(file), path, sizeof(path)))
        return NULL;
    return arena_text(places->arena, path, strlen(path));
}

static const struct known_function *script_of(struct places *places, uint32_t unit)
{
    const struct model_script *script = &places->model->scripts[unit - 1];
    struct known_function *known = &places->scripts[unit - 1];

    if (known->name)
        return known;
    known->user = !runtimes_script(script->file);
    known->file = script->file[0] ? path_of_script(places, script->file) : NULL;
    return complete(places, known, script->name, "(anonymous)");
}

/* A bundle contains code of libraries, too: the source file decides whose code it is. */
static void use_original(struct places *places, struct place *place, unsigned column)
{
    const char *file = place->file;
    unsigned line = place->line;

    if (!file || !places_original(places, &file, &line, column))
        return;
    place->script = place->file;
    place->script_line = place->line;
    place->file = file;
    place->line = line;
    place->user = !runtimes_script(file);
}

static size_t fill_script(struct places *places, const struct model_frame *frame, struct place *out)
{
    const struct known_function *script;

    if (frame->unit == 0 || frame->unit > places->model->script_count) {
        out[0] = (struct place){.function = "(a JavaScript function)",
                                .module = language_name(LANGUAGE_JAVASCRIPT),
                                .language = LANGUAGE_JAVASCRIPT};
        return 1;
    }
    if (adapter_file(places->model->scripts[frame->unit - 1].file))
        return 0; /* the adapter is on a stack only because it reads one */
    script = script_of(places, frame->unit);
    if (!script)
        return 0;
    out[0] = (struct place){.file = script->file,
                            .line = (unsigned)(frame->offset >> 32),
                            .function = script->name,
                            .module = language_name(LANGUAGE_JAVASCRIPT),
                            .language = LANGUAGE_JAVASCRIPT,
                            .user = script->user};
    if (script->user)
        use_original(places, &out[0], (uint32_t)frame->offset);
    if (out[0].user)
        places_quote(places, &out[0]);
    return 1;
}

static size_t fill_frame(struct places *places, const struct model_frame *frame, struct place *out,
                         size_t room)
{
    if (frame->kind == FRAME_NATIVE)
        return fill_native(places, frame, out, room);
    if (frame->kind == FRAME_PYTHON)
        return fill_python(places, frame, out);
    if (frame->kind == FRAME_JS)
        return fill_script(places, frame, out);
    out[0] = (struct place){
        .function = arena_print(places->arena, "(frame of kind %u)", (unsigned)frame->kind),
        .user = true};
    return 1;
}

/* Index of the first place in the user's code; `count`: there is none. */
static size_t first_user(const struct place *list, size_t count)
{
    size_t first = 0;

    while (first < count && !list[first].user)
        first++;
    return first;
}

/* The same without installed libraries; `count`: there is none. */
static size_t first_own(const struct place *list, size_t count)
{
    size_t first = 0;

    while (first < count && (!list[first].user || list[first].library))
        first++;
    return first;
}

/* How many inner places to leave out: what libraries do for the program, else what serves them. A library
 * that the program's code is not below is all there is to show. */
static size_t leading(struct place *list, size_t count)
{
    const size_t own = first_own(list, count), first = first_user(list, count);

    for (size_t i = 0; i < count && own < count; i++)
        list[i].user = list[i].user && !list[i].library;
    return own < count ? own : first < count ? first : 0;
}

static void look_up(struct places *places, uint32_t stack, struct known_stack *known)
{
    struct place list[LOOKUP_MAX], *kept;
    size_t count = 0, first;
    bool backward = false;

    for (unsigned depth = 0; stack > 0 && stack <= places->model->frame_count &&
                             depth < MODEL_DEPTH_MAX && count < LOOKUP_MAX;
         depth++) {
        const struct model_frame *frame = &places->model->frames[stack - 1];

        stack = frame->caller;
        if (frame->kind == FRAME_BACKWARD) {
            backward = true;
            continue;
        }
        count += fill_frame(places, frame, list + count, LOOKUP_MAX - count);
        if (count - first_own(list, count) >= PLACES_MAX)
            break;
    }
    first = leading(list, count);
    count = count - first < PLACES_MAX ? count - first : PLACES_MAX;
    kept = arena_take(places->arena, count, sizeof(*kept));
    if (!kept)
        return;
    memcpy(kept, list + first, count * sizeof(*kept));
    if (backward && count > 0)
        kept[0].function = arena_print(places->arena, "%s, in its backward pass",
                                       kept[0].function ? kept[0].function : "?");
    known->places = kept;
    known->count = count;
}

void places_of(struct places *places, uint32_t stack, const struct place **out, size_t *count)
{
    struct known_stack *known;

    *out = NULL;
    *count = 0;
    if (stack == 0 || stack > places->model->frame_count)
        return;
    known = &places->stacks[stack - 1];
    if (!known->known) {
        known->known = true;
        look_up(places, stack, known);
    }
    *out = known->places;
    *count = known->count;
}

void places_left_out(struct places *places, uint32_t stack, const struct place **out, size_t *count)
{
    struct place list[PLACES_MAX], *kept;
    size_t used = 0;

    *out = NULL;
    *count = 0;
    for (; stack > 0 && stack <= places->model->frame_count && used < PLACES_MAX;
         stack = places->model->frames[stack - 1].caller) {
        const struct model_frame *frame = &places->model->frames[stack - 1];

        if (frame->kind == FRAME_NATIVE || frame->kind == FRAME_BACKWARD ||
            fill_frame(places, frame, list + used, PLACES_MAX - used) == 0)
            continue;
        if (list[used].user)
            break;
        used++;
    }
    kept = used > 0 && stack > 0 ? arena_take(places->arena, used, sizeof(*kept)) : NULL;
    if (!kept)
        return;
    memcpy(kept, list, used * sizeof(*kept));
    *out = kept;
    *count = used;
}

void places_native(struct places *places, uint32_t stack, bool left_out, const struct native_place **out,
                   size_t *count)
{
    const struct native_names names = {.model = places->model,
                                       .own = places->own,
                                       .symbols = places->symbols,
                                       .arena = places->arena};

    if (left_out)
        native_places_called(&names, stack, out, count);
    else
        native_places_part(&names, stack, out, count);
}

void places_use_packages(struct places *places, const struct model *own)
{
    places->own = own;
}

const char *places_variable(struct places *places, uint32_t unit, uint64_t offset)
{
    struct known_module *module;
    struct symbol symbol;
    const char *slash;

    if (unit == 0 || unit > places->model->module_count)
        return NULL;
    module = module_of(places, unit);
    if (!module || !module->symbols)
        return NULL;
    if (!symbols_variable(places->symbols, module->symbols, offset, &symbol))
        return arena_print(places->arena, "a variable of %s", module->base_name);
    if (!symbol.file || !symbol.line)
        return arena_print(places->arena, "%s (in %s)", symbol.function, module->base_name);
    slash = strrchr(symbol.file, '/');
    return arena_print(places->arena, "%s (%s:%u)", symbol.function,
                       slash ? slash + 1 : symbol.file, symbol.line);
}

/* ---- all files ---- */

static void visit_source(const char *path, void *with)
{
    size_t size;

    (void)sources_whole(with, path, &size);
}

/* The same address is in the table once per caller; it is looked up once. */
static void visit_native(struct places *places, struct intern *seen, const struct model_frame *frame)
{
    const uint64_t key[2] = {frame->unit, frame->offset};
    const size_t before = seen->count;
    struct known_module *module;

    if (frame->unit == 0 || frame->unit > places->model->module_count || frame->offset == 0)
        return;
    (void)intern_number(seen, (const char *)key, sizeof(key));
    module = seen->count > before ? module_of(places, frame->unit) : NULL;
    if (module && !module->runtime && module->symbols)
        symbols_files(module->symbols, frame->offset - 1, visit_source, places->sources);
}

static void visit_script(struct places *places, const struct model_frame *frame)
{
    struct place place;
    size_t size;

    if (fill_script(places, frame, &place) > 0 && place.file && place.user)
        (void)sources_whole(places->sources, place.file, &size);
}

void places_visit_sources(struct places *places)
{
    const struct model *model = places->model;
    struct intern seen = {0};

    for (size_t i = 0; i < model->code_count; i++)
        (void)code_of(places, (uint32_t)i + 1);
    for (size_t i = 0; i < model->owner_count; i++)
        if (!runtimes_python(model->owners[i].file))
            visit_source(model->owners[i].file, places->sources);
    for (size_t i = 0; i < model->line_count; i++)
        sources_script(places->sources, model->lines[i].file);
    for (size_t i = 0; i < model->frame_count; i++) {
        const struct model_frame *frame = &model->frames[i];

        if (frame->kind == FRAME_NATIVE)
            visit_native(places, &seen, frame);
        else if (frame->kind == FRAME_JS)
            visit_script(places, frame);
    }
    intern_fini(&seen);
}

struct sources *places_sources(const struct places *places)
{
    return places->sources;
}

bool places_original(struct places *places, const char **file, unsigned *line, unsigned column)
{
    return originals_find(places->originals, file, line, column);
}

void places_look_in(struct places *places, const char *directory)
{
    const struct ledger_header *head = &places->model->head;

    if (!directory || places->as_run)
        return;
    places->as_run = as_run_new(directory, head->pid, head->generation);
    originals_use(places->originals, places->as_run);
}

const char *places_as_run(const struct places *places, const char *path, size_t *size)
{
    return as_run_text(places->as_run, path, size);
}

const char *places_note(const struct places *places)
{
    return originals_note(places->originals);
}
