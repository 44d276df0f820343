/* python_attribute.c - see python_attribute.h. */
#include "probe/search/python_attribute.h"

#include <stdio.h>
#include <string.h>

#include "probe/search/python_objects.h"
#include "probe/search/python_read.h"

#define BASES_MOST 64
#define MEMBERS_MOST 512
#define ATTRIBUTES_MOST 256u
#define MEMBER_OBJECT 6     /* T_OBJECT and T_OBJECT_EX: */
#define MEMBER_OBJECT_EX 16

/* Before an object with managed attributes lie the collector's head, two words, then these. */
enum { DICT_BEFORE = 24, VALUES_BEFORE = 32 };
/* In the shared table of names, from 3.11 on. */
enum { KEYS_INDEX_BITS = 9, KEYS_KIND = 10, KEYS_COUNT = 24, KEYS_INDICES = 32 };

bool python_attribute_is_dict(const struct graph *graph, uintptr_t object, uintptr_t dict)
{
    const uintptr_t type = python_objects_type(object);
    const uint64_t flags = graph_word(type + TYPE_FLAGS);
    const intptr_t offset = (intptr_t)graph_word(type + TYPE_DICT_OFFSET);

    if (!python_read_is(graph, dict, TYPE_IS_DICT))
        return false;
    if (flags & TYPE_IS_TYPE && graph_word(object + TYPE_DICT) == dict)
        return true;
    if (python_objects_of(graph, object, graph->python->module_type))
        return graph_word(object + MODULE_DICT) == dict;
    if (flags & TYPE_MANAGED_DICT && graph->python->minor >= 11)
        return graph_word(object - DICT_BEFORE) == dict;
    return offset > 0 && offset < 65536 && graph_word(object + (uintptr_t)offset) == dict;
}

/* ---- members ---- */

static const char *member_at(const struct graph *graph, uintptr_t type, uintptr_t offset)
{
    for (unsigned i = 0; type && i < BASES_MOST; i++, type = graph_word(type + TYPE_BASE)) {
        const struct python_member *member =
            (const struct python_member *)graph_word(type + TYPE_MEMBERS);

        for (unsigned m = 0; member && m < MEMBERS_MOST; m++, member++) {
            if (!pages_readable(&graph->pages, (uintptr_t)member, sizeof(*member)) ||
                !member->name)
                break;
            if (member->offset == (intptr_t)offset &&
                (member->type == MEMBER_OBJECT || member->type == MEMBER_OBJECT_EX))
                return member->name;
        }
    }
    return NULL;
}

/* ---- values without a dictionary ---- */

/* The name that the class has for the attribute of this number. */
static uintptr_t shared_name(const struct graph *graph, uintptr_t type, uint32_t index)
{
    const uintptr_t keys = graph_word(type + graph->python->type_keys);
    uintptr_t entry;
    unsigned bits;

    if (!pages_readable(&graph->pages, keys, KEYS_INDICES))
        return 0;
    bits = *(const uint8_t *)(keys + KEYS_INDEX_BITS);
    if (bits > 20 || *(const uint8_t *)(keys + KEYS_KIND) == 0 ||
        index >= graph_word(keys + KEYS_COUNT))
        return 0;
    entry = keys + KEYS_INDICES + (1ul << bits) + 16ul * index; /* a name, and a word not used */
    return pages_readable(&graph->pages, entry, 8) ? graph_word(entry) : 0;
}

/* Where the values lie: 3.11 behind a pointer, 3.12 behind one with a mark, 3.13 in the object. */
static uintptr_t values_of(const struct graph *graph, uintptr_t object)
{
    const uintptr_t type = python_objects_type(object);
    const uint64_t flags = graph_word(type + TYPE_FLAGS);
    const unsigned minor = graph->python->minor;

    if (minor < 11 || !(flags & TYPE_MANAGED_DICT))
        return 0;
    if (minor == 11)
        return graph_word(object - VALUES_BEFORE);
    if (minor == 12)
        return graph_word(object - DICT_BEFORE) & 1 ? graph_word(object - DICT_BEFORE) + 1 : 0;
    return flags & TYPE_INLINE_VALUES ? object + graph_word(type + TYPE_BASIC_SIZE) + 8 : 0;
}

static bool value_without_dict(const struct graph *graph, uintptr_t object, uintptr_t value,
                               struct search_owner *step)
{
    const uintptr_t type = python_objects_type(object), values = values_of(graph, object);

    for (uint32_t i = 0; values && i < ATTRIBUTES_MOST; i++) {
        const uintptr_t name = shared_name(graph, type, i);

        if (!name || !pages_readable(&graph->pages, values + 8ul * i, 8))
            return false;
        if (graph_word(values + 8ul * i) == value) {
            step->kind = OWNER_ATTRIBUTE;
            return python_read_text(graph, name, step->name, sizeof(step->name));
        }
    }
    return false;
}

uintptr_t python_attribute_value(const struct graph *graph, uintptr_t object, const char *name)
{
    const uintptr_t type = python_objects_type(object), values = values_of(graph, object);
    const intptr_t offset = (intptr_t)graph_word(type + TYPE_DICT_OFFSET);
    const bool managed = graph_word(type + TYPE_FLAGS) & TYPE_MANAGED_DICT &&
                         graph->python->minor >= 11;
    const uintptr_t dict = managed      ? graph_word(object - DICT_BEFORE)
                           : offset > 0 ? graph_word(object + (uintptr_t)offset)
                                        : 0;
    char text[64];

    if (python_read_is(graph, dict, TYPE_IS_DICT))
        return python_read_item(graph, dict, name);
    for (uint32_t i = 0; values && i < ATTRIBUTES_MOST; i++) {
        if (!python_read_text(graph, shared_name(graph, type, i), text, sizeof(text)) ||
            !pages_readable(&graph->pages, values + 8ul * i, 8))
            return 0;
        if (strcmp(text, name) == 0)
            return graph_word(values + 8ul * i);
    }
    return 0;
}

/* ---- what has no entry in any table ---- */

static const char *known_name(const struct graph *graph, uintptr_t object, uintptr_t value)
{
    const struct python_view *view = graph->python;
    const uintptr_t type = python_objects_type(value);

    if (value == python_objects_type(object))
        return "__class__";
    if (type == view->traceback_type)
        return "__traceback__";
    if (type == view->python->symbols.code_type)
        return "__code__";
    if (python_objects_type(object) == view->cell_type)
        return "cell_contents";
    return NULL;
}

void python_attribute_name(const struct graph *graph, uintptr_t object, uintptr_t value,
                           struct search_owner *step)
{
    const uintptr_t type = python_objects_type(object);
    const uintptr_t size = graph_word(type + TYPE_BASIC_SIZE);
    const char *name = known_name(graph, object, value);

    step->kind = OWNER_ATTRIBUTE;
    for (uintptr_t at = 16; !name && at + 8 <= size; at += 8)
        if (graph_word(object + at) == value)
            name = member_at(graph, type, at);
    if (!name && value_without_dict(graph, object, value, step))
        return;
    if (name)
        (void)snprintf(step->name, sizeof(step->name), "%s", name);
    else
        step->kind = OWNER_PART;
}

bool python_attribute_file(const struct graph *graph, const struct root *module, char *to, size_t size)
{
    uintptr_t loader;

    if (python_read_text(graph, python_read_item(graph, module->object, "__file__"), to, size))
        return true;
    loader = python_read_item(graph, module->object, "__loader__");
    return loader && python_objects_is(graph, loader) &&
           !(python_objects_flags(loader) & TYPE_IS_TYPE) &&
           python_read_text(graph, python_attribute_value(graph, loader, "path"), to, size);
}
