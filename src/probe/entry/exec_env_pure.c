/* exec_env_pure.c - see the header. */
#include "probe/entry/exec_env_pure.h"

#include <string.h>

#include "base/carry.h"
#include "base/guests.h"

/* A variable that holds a list with a word of ours. */
struct list {
    const char *name; /* with its "=" */
    const char *ends; /* what ends a word */
    const char *word; /* ours */
};

enum { LIST_PRELOAD, LIST_PYTHON, LIST_NODE, LISTS };

static struct list list_of(const struct exec_guests *guests, int which)
{
    switch (which) {
    case LIST_PRELOAD:
        return (struct list){"LD_PRELOAD=", ": ", guests->probe};
    case LIST_PYTHON:
        return (struct list){"PYTHONPATH=", ":", guests->python};
    default:
        return (struct list){"NODE_OPTIONS=", " ", guests->node};
    }
}

bool exec_guests_set(struct exec_guests *guests, const char *probe)
{
    const char *slash = strrchr(probe, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - probe) : 0;
    char *end;

    if (!slash ||
        strlen(probe) + sizeof(GUEST_NODE_OPTION GUEST_NODE GUEST_PYTHON) > sizeof(guests->probe))
        return false;
    memcpy(guests->probe, probe, strlen(probe) + 1);
    memcpy(guests->python, probe, folder);
    memcpy(guests->python + folder, GUEST_PYTHON, sizeof(GUEST_PYTHON));
    end = stpcpy(guests->node, GUEST_NODE_OPTION);
    memcpy(end, probe, folder);
    memcpy(end + folder, GUEST_NODE, sizeof(GUEST_NODE));
    return true;
}

/* ---- one variable ---- */

static const char *value_in(const char *entry, const struct list *list)
{
    const size_t length = strlen(list->name);

    return strncmp(entry, list->name, length) == 0 ? entry + length : NULL;
}

static bool is_ours(const char *word, size_t length, const struct list *list)
{
    return length > 0 && strlen(list->word) == length && memcmp(word, list->word, length) == 0;
}

static bool holds_ours(const char *value, const struct list *list)
{
    for (const char *at = value;; at++) {
        const size_t length = strcspn(at, list->ends);

        if (is_ours(at, length, list))
            return true;
        at += length;
        if (!*at)
            return false;
    }
}

/* Copies the entry without our word and the mark after it. False: nothing is left in the variable.
 */
static bool copy_without_us(char *to, const char *value, const struct list *list)
{
    char *const first = stpcpy(to, list->name), *end = first;
    const char *at = value;

    for (;;) {
        const size_t length = strcspn(at, list->ends);
        const bool last = !at[length];

        if (!is_ours(at, length, list)) {
            memcpy(end, at, length + !last);
            end += length + !last;
        } else if (last && end > first) {
            end--; /* the mark before it */
        }
        if (last)
            break;
        at += length + 1;
    }
    *end = 0;
    return end > first;
}

/* ---- the environment ---- */

/* The value of the entry, if it is one of the lists and holds a word of ours; else NULL. */
static const char *changed(const char *entry, const struct exec_guests *guests, struct list *list)
{
    for (int i = 0; i < LISTS; i++) {
        const char *value;

        *list = list_of(guests, i);
        value = value_in(entry, list);
        if (value && holds_ours(value, list))
            return value;
    }
    return NULL;
}

bool exec_env_has_probe(char *const *environment, const struct exec_guests *guests)
{
    const struct list list = list_of(guests, LIST_PRELOAD);

    for (; environment && *environment; environment++) {
        const char *value = value_in(*environment, &list);

        if (value && holds_ours(value, &list))
            return true;
    }
    return false;
}

bool exec_env_has_sanitizer(char *const *environment)
{
    for (; environment && *environment; environment++)
        if (strncmp(*environment, "LD_PRELOAD=", 11) == 0 &&
            carry_preloads_sanitizer(*environment + 11))
            return true;
    return false;
}

size_t exec_env_size(char *const *environment, const struct exec_guests *guests)
{
    size_t pointers = 1, bytes = 0;
    struct list list;

    for (; environment && *environment; environment++) {
        pointers++;
        if (changed(*environment, guests, &list))
            bytes += strlen(*environment) + 1;
    }
    return pointers * sizeof(char *) + bytes;
}

char *const *exec_env_build(void *room, char *const *environment, const struct exec_guests *guests)
{
    char **pointers = room;
    size_t count = 0, kept = 0;
    struct list list;
    char *text;

    while (environment && environment[count])
        count++;
    text = (char *)(pointers + count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *value = changed(environment[i], guests, &list);

        if (!value) {
            pointers[kept++] = environment[i];
        } else if (copy_without_us(text, value, &list)) {
            pointers[kept++] = text;
            text += strlen(text) + 1;
        }
    }
    pointers[kept] = NULL;
    return pointers;
}
