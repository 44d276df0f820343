/* native_places.c - see native_places.h. */
#include "doctor/source/native_places.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/packages.h"
#include "doctor/source/symbols.h"
#include "ledger/model.h"

#define LIST_MAX 96 /* places of one list; outer ones are left out */

static bool is_program(const struct model *model, const struct model_module *module)
{
    return text_same(module->path, model->program);
}

static bool is_packaged(const char *path)
{
    return text_has(path, "/site-packages/") || text_has(path, "/dist-packages/") ||
           text_has(path, "/node_modules/");
}

static struct native_place of_module(const struct native_names *names, const struct model_module *module,
                                     uint64_t offset)
{
    const struct model_package *package = packages_find(names->own, module->path);
    const char *name = text_base_name(module->path);
    struct native_place place = {.module = arena_text(names->arena, name, strlen(name)), .offset = offset};

    place.installed = !is_program(names->model, module) && runtimes_installed(module->path);
    place.packaged = package || (place.installed && is_packaged(module->path));
    place.foreign = runtimes_foreign(name);
    place.serves = runtimes_module(name) || (text_same(names->model->allocator, module->path) &&
                                             !is_program(names->model, module));
    if (package) {
        place.package = arena_text(names->arena, package->name, strlen(package->name));
        place.version = arena_text(names->arena, package->version, strlen(package->version));
    }
    return place;
}

static void use_symbol(struct native_place *place, const struct symbol *symbol)
{
    place->function = symbol->function;
    place->file = symbol->file;
    place->line = symbol->line;
    place->serves |=
        runtimes_function(symbol->linkage ? symbol->linkage : symbol->function, symbol->file);
}

/* The offset is a return address, so the call ends one byte before it. */
static size_t fill(const struct native_names *names, const struct model_frame *frame,
                   struct native_place *out, size_t room)
{
    const struct model_module *module;
    const struct symbol *found = NULL;
    struct symbols_module *symbols;
    size_t count = 0;

    if (frame->unit == 0 || frame->unit > names->model->module_count || frame->offset == 0) {
        out[0] = (struct native_place){.offset = frame->offset};
        return 1;
    }
    module = &names->model->modules[frame->unit - 1];
    out[0] = of_module(names, module, frame->offset);
    symbols = symbols_open(names->symbols, module->path, module->build_id, module->build_id_size);
    if (symbols)
        count = symbols_find(names->symbols, symbols, frame->offset - 1, &found);
    count = count < room ? count : room;
    for (size_t i = 0; i < count; i++) {
        out[i] = out[0];
        use_symbol(&out[i], &found[i]);
    }
    if (symbols && count == 0)
        out[0].function = symbols_near(names->symbols, symbols, frame->offset - 1, &out[0].beyond);
    return count > 0 ? count : 1;
}

static void keep(const struct native_names *names, const struct native_place *list, size_t count,
                 const struct native_place **out, size_t *kept)
{
    struct native_place *places = count > 0 ? arena_take(names->arena, count, sizeof(*places)) : NULL;

    *out = NULL;
    *kept = 0;
    if (!places)
        return;
    memcpy(places, list, count * sizeof(*places));
    *out = places;
    *kept = count;
}

/* Is there native code that says more than that memory was allocated? */
static bool says_something(const struct native_place *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!list[i].serves)
            return true;
    return false;
}

static bool has_frame(const struct native_names *names, uint32_t stack)
{
    return stack > 0 && stack <= names->model->frame_count &&
           names->model->frames[stack - 1].kind == FRAME_NATIVE;
}

void native_places_part(const struct native_names *names, uint32_t stack, const struct native_place **out,
                        size_t *count)
{
    struct native_place list[LIST_MAX];
    size_t used = 0;

    for (; has_frame(names, stack) && used < LIST_MAX; stack = names->model->frames[stack - 1].caller)
        used += fill(names, &names->model->frames[stack - 1], list + used, LIST_MAX - used);
    keep(names, list, says_something(list, used) ? used : 0, out, count);
}

void native_places_called(const struct native_names *names, uint32_t stack, const struct native_place **out,
                          size_t *count)
{
    struct native_place list[LIST_MAX];
    size_t used = 0;

    for (; has_frame(names, stack) && used < LIST_MAX; stack = names->model->frames[stack - 1].caller) {
        const size_t more = fill(names, &names->model->frames[stack - 1], list + used, LIST_MAX - used);
        const struct native_place *place = &list[used];

        if (!place->module || !(place->installed || runtimes_module(place->module)))
            break;
        used += more;
    }
    keep(names, list, has_frame(names, stack) && says_something(list, used) ? used : 0, out, count);
}
