/* native_words.c - see native_words.h. */
#include "doctor/say/native_words.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

#define HASH_LETTERS 8    /* at least: what repairs of wheels put into the name of a library */
#define MODULES_SHOWN 3   /* of a longer way, through wrappers, the outer ones are left out */
#define MODULES_MOST 32

/* "-1a2b3c4d" at the end of a name. */
static size_t without_hash(const char *name, size_t length)
{
    size_t digits = 0;

    while (digits < length && isxdigit((unsigned char)name[length - digits - 1]))
        digits++;
    return digits >= HASH_LETTERS && digits < length && name[length - digits - 1] == '-'
               ? length - digits - 1
               : length;
}

const char *native_words_module(struct arena *arena, const char *module)
{
    const char *dot = strchr(module, '.');
    const bool shared = text_has(module, ".so"), addon = text_ends(module, ".node");

    if (!dot || dot == module || !(shared || addon))
        return module;
    return arena_print(arena, "%.*s%s", (int)without_hash(module, (size_t)(dot - module)), module,
                       addon ? ".node" : ".so");
}

/* A name that is no function's, such as "operator()", keeps its brackets. */
static const char *without_parameters(struct arena *arena, const char *function)
{
    const char *bracket = strchr(function, '(');

    return bracket && bracket > function && !text_has(function, "operator(")
               ? arena_text(arena, function, (size_t)(bracket - function))
               : function;
}

const char *native_words_function(struct arena *arena, const struct native_place *place)
{
    const char *name = place->function ? without_parameters(arena, place->function) : NULL;

    if (!name)
        return arena_print(arena, "+0x%llx", (unsigned long long)place->offset);
    if (place->beyond > 0)
        return arena_print(arena, "+0x%llx (near %s)", (unsigned long long)place->offset, name);
    return name;
}

/* A row of frames in one module. */
struct part {
    const struct native_place *entry; /* its outermost frame */
    const struct native_place *named; /* its outermost frame that has a name of its own; NULL: none */
};

static bool has_own_name(const struct native_place *place)
{
    return place->function && place->beyond == 0;
}

/* From the outermost on, without what only serves. */
static size_t parts_of(struct part *parts, const struct finding *finding)
{
    size_t count = 0;

    for (size_t i = finding->native_count; i-- > 0;) {
        const struct native_place *place = &finding->native[i];
        struct part *last = count > 0 ? &parts[count - 1] : NULL;

        if (place->serves)
            continue;
        if (!last || !text_same(last->entry->module, place->module)) {
            if (count == MODULES_MOST)
                break;
            last = &parts[count++];
            *last = (struct part){.entry = place};
        }
        if (!last->named && has_own_name(place))
            last->named = place;
    }
    return count;
}

static const char *module_of(struct arena *arena, const struct part *part)
{
    return part->entry->module ? native_words_module(arena, part->entry->module)
                               : "code made at run time";
}

const char *native_words(struct arena *arena, const struct finding *finding)
{
    struct part parts[MODULES_MOST];
    const size_t count = parts_of(parts, finding);
    const struct native_place *first = count > 0 ? parts[0].entry : NULL;
    const size_t from = count > MODULES_SHOWN ? count - MODULES_SHOWN : 0;
    const struct native_place *last;
    const char *words;

    if (!first)
        return NULL;
    words = first->package ? arena_print(arena, "%s %s: ", first->package, first->version) : "";
    for (size_t i = from; i < count && words; i++)
        words = arena_print(arena, "%s%s%s", words, i > from ? " → " : from > 0 ? "… → " : "",
                            module_of(arena, &parts[i]));
    last = parts[count - 1].named ? parts[count - 1].named : parts[count - 1].entry;
    return last->module && words ? arena_print(arena, "%s %s", words, native_words_function(arena, last))
                                 : words;
}
