/* python_read.c - see python_read.h. */
#include "probe/search/python_read.h"

#include <stdio.h>
#include <string.h>


#define NAME_BYTES 256
#define TEXT_BITS 0x60u /* of a str's state: in one piece, ASCII */

bool python_read_is(const struct graph *graph, uintptr_t object, uint64_t type_flag)
{
    return python_objects_is(graph, object) && python_objects_flags(object) & type_flag;
}

/* python_text wants exactly a str; a class derived from it has the same form. */
bool python_read_text(const struct graph *graph, uintptr_t text, char *to, size_t size)
{
    to[0] = '\0';
    if (!python_read_is(graph, text, TYPE_IS_TEXT))
        return false;
    to[python_text(graph->python->python, text, to, size - 1)] = '\0';
    return true;
}

/* Compares only short ASCII texts: names that the interpreter itself has given. */
static bool is_text(const struct graph *graph, uintptr_t text, const char *want, size_t length)
{
    uint32_t state;

    if (!python_read_is(graph, text, TYPE_IS_TEXT) || graph_word(text + LENGTH) != length)
        return false;
    memcpy(&state, (const void *)(text + PYTHON_TEXT_STATE), sizeof(state));
    return (state & TEXT_BITS) == TEXT_BITS &&
           memcmp((const void *)(text + graph->python->python->offsets.text_ascii), want,
                  length) == 0;
}

uintptr_t python_read_item(const struct graph *graph, uintptr_t dict, const char *key)
{
    const size_t length = strlen(key);
    void *name, *value;
    ssize_t at = 0;

    if (!python_read_is(graph, dict, TYPE_IS_DICT))
        return 0;
    while (graph->python->dict_next((void *)dict, &at, &name, &value))
        if (is_text(graph, (uintptr_t)name, key, length))
            return (uintptr_t)value;
    return 0;
}

/* ---- numbers and keys ---- */

static void read_int(const struct graph *graph, uintptr_t number, char *to, size_t size)
{
    const int64_t head = (int64_t)graph_word(number + LENGTH);
    const bool tagged = graph->python->minor >= 12;
    const bool negative = tagged ? (head & 3) == 2 : head < 0;
    const uint64_t digits = tagged ? (uint64_t)head >> 3 : (uint64_t)(head < 0 ? -head : head);
    const uint32_t *parts = (const uint32_t *)(number + 24);
    uint64_t value = 0;

    if (digits > 2)
        return; /* more than 60 bits */
    for (uint64_t i = digits; i-- > 0;)
        value = value << 30 | parts[i];
    (void)snprintf(to, size, "%s%llu", negative && value ? "-" : "", (unsigned long long)value);
}

static void quote(const char *text, char *to, size_t size)
{
    size_t used = 0;

    to[used++] = '\'';
    for (; *text && used + 8 < size; text++) {
        if (*text == '\'' || *text == '\\')
            to[used++] = '\\';
        if (*text == '\n' || *text == '\t' || *text == '\r') {
            to[used++] = '\\';
            to[used++] = *text == '\n' ? 'n' : *text == '\t' ? 't' : 'r';
        } else if ((unsigned char)*text >= 32) {
            to[used++] = *text;
        }
    }
    if (*text) {
        memcpy(to + used, "…", 3);
        used += 3;
    }
    to[used++] = '\'';
    to[used] = '\0';
}

void python_read_key(const struct graph *graph, uintptr_t key, char *to, size_t size)
{
    const struct python_view *view = graph->python;
    char text[NAME_BYTES];

    to[0] = '\0';
    if (!python_objects_is(graph, key))
        return;
    if (python_read_text(graph, key, text, sizeof(text)))
        quote(text, to, size);
    else if (python_objects_type(key) == view->int_type)
        read_int(graph, key, to, size);
    else if (python_objects_type(key) == view->bool_type)
        (void)snprintf(to, size, "%s", *(const uint32_t *)(key + 24) ? "True" : "False");
    else if (python_objects_named(key, "NoneType"))
        (void)snprintf(to, size, "None");
}

/* ---- classes ---- */

static bool module_name(const struct graph *graph, uintptr_t type, char *to, size_t size)
{
    return graph_word(type + TYPE_FLAGS) & TYPE_IS_HEAP &&
           python_read_text(graph,
                            python_read_item(graph, graph_word(type + TYPE_DICT), "__module__"),
                            to, size);
}

void python_read_type(const struct graph *graph, uintptr_t type, char *to, size_t size)
{
    const char *name = (const char *)graph_word(type + TYPE_NAME);
    char module[NAME_BYTES];

    if (!strchr(name, '.') && module_name(graph, type, module, sizeof(module)) &&
        strcmp(module, "builtins") != 0)
        (void)snprintf(to, size, "%s.%s", module, name);
    else
        (void)snprintf(to, size, "%s", name);
}

const struct root *python_read_module(const struct graph *graph, uintptr_t type)
{
    char name[NAME_BYTES];
    size_t length;

    if (!module_name(graph, type, name, sizeof(name)))
        return NULL;
    length = strlen(name);
    for (uint32_t i = 0; i < graph->root_count; i++)
        if (graph->roots[i].kind == OWNER_MODULE &&
            is_text(graph, graph->roots[i].name, name, length))
            return &graph->roots[i];
    return NULL;
}

bool python_read_is_users(const struct graph *graph, uintptr_t type)
{
    const struct root *root = python_read_module(graph, type);

    return root && root->user;
}
