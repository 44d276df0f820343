/* python_imports.c - see python_imports.h. */
#include "doctor/source/python_imports.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/text.h"
#include "doctor/facts/runtimes.h"
#include "doctor/source/source.h"

#define DEPTH_MOST  6    /* depth of packages in each other */
#define ROOTS_MOST  64   /* folders in which modules are searched */
#define TRIED_MOST  5000 /* paths that are tried */
#define MODULE_SIZE 512  /* bytes of a module's name */

struct follow {
    struct sources *sources; /* borrowed */
    struct intern roots;     /* folders in which modules are searched, without the last slash */
    struct intern tried;     /* paths that were tried */
};

/* ---- paths ---- */

static bool is_at_hand(struct follow *follow, const char *path)
{
    size_t size;

    if (runtimes_python(path) || follow->tried.count >= TRIED_MOST)
        return false;
    (void)intern_text(&follow->tried, path);
    return sources_whole(follow->sources, path, &size) != NULL;
}

/* "a.b" in a folder is a/b.py or a/b/__init__.py. */
static void try_module(struct follow *follow, const char *folder, const char *module)
{
    char path[PATH_MAX], *at;
    int used = snprintf(path, sizeof(path), "%s/", folder);
    const int length =
        used > 0 ? snprintf(path + used, sizeof(path) - (size_t)used, "%s", module) : -1;

    if (used < 0 || length < 0 || used + length + 16 > (int)sizeof(path))
        return;
    for (at = path + used; *at; at++)
        *at = *at == '.' ? '/' : *at;
    used = (int)(at - path);
    if (length > 0) {
        memcpy(path + used, ".py", sizeof(".py"));
        if (is_at_hand(follow, path))
            return;
    } else {
        used--;
    }
    memcpy(path + used, "/__init__.py", sizeof("/__init__.py"));
    (void)is_at_hand(follow, path);
}

static void parent_of(char *folder)
{
    char *slash = strrchr(folder, '/');

    if (slash)
        *slash = 0;
}

/* Modules are searched in the folder of a file, and in those above the packages that contain it. */
static void add_roots(struct follow *follow, const char *path)
{
    char folder[PATH_MAX], init[PATH_MAX + 16];

    if (snprintf(folder, sizeof(folder), "%s", path) >= (int)sizeof(folder))
        return;
    for (unsigned depth = 0; depth < DEPTH_MOST; depth++) {
        parent_of(folder);
        if (follow->roots.count < ROOTS_MOST)
            (void)intern_text(&follow->roots, folder);
        (void)snprintf(init, sizeof(init), "%s/__init__.py", folder);
        if (!folder[0] || !is_at_hand(follow, init))
            return;
    }
}

/* ---- statements ---- */

/* `level`: the dots of a relative import. */
static void import_module(struct follow *follow, const char *from, unsigned level,
                          const char *module)
{
    char folder[PATH_MAX];

    if (level == 0) {
        for (size_t i = 0; i < follow->roots.count; i++)
            try_module(follow, follow->roots.entries[i].bytes, module);
        return;
    }
    if (snprintf(folder, sizeof(folder), "%s", from) >= (int)sizeof(folder))
        return;
    while (level-- > 0)
        parent_of(folder);
    try_module(follow, folder, module);
}

static size_t word_length(const char *at, const char *end)
{
    size_t length = 0;

    while (at + length < end && !strchr(" \t\r\n,();#\\", at[length]))
        length++;
    return length;
}

static const char *skip(const char *at, const char *end, const char *what)
{
    while (at < end && *at && strchr(what, *at))
        at++;
    return at;
}

/* Tries every name up to the end of the line, or up to the closing bracket. "as" and the name after it are
 * tried, too, and usually do not exist. */
static void import_names(struct follow *follow, const char *from, unsigned level,
                         const char *before, const char *at, const char *end)
{
    const char *open = skip(at, end, " \t"), *stop;
    char module[MODULE_SIZE];

    stop = open < end ? memchr(open, *open == '(' ? ')' : '\n', (size_t)(end - open)) : NULL;
    stop = stop ? stop : end;
    for (at = skip(open, stop, " \t\r\n,();\\"); at < stop && *at != '#';
         at = skip(at, stop, " \t\r\n,();\\")) {
        const size_t length = word_length(at, stop);

        if (length == 0)
            return;
        if (snprintf(module, sizeof(module), "%s%s%.*s", before, before[0] ? "." : "", (int)length,
                     at) < (int)sizeof(module))
            import_module(follow, from, level, module);
        at += length;
    }
}

/* `at` is after "from ". */
static void import_from(struct follow *follow, const char *from, const char *at, const char *end)
{
    const char *name = skip(at = skip(at, end, " \t"), end, ".");
    const unsigned level = (unsigned)(name - at);
    const size_t length = word_length(name, end);
    char module[MODULE_SIZE];

    if (length >= sizeof(module))
        return;
    memcpy(module, name, length);
    module[length] = 0;
    at = skip(name + length, end, " \t");
    if (end - at < 7 || !text_begins(at, "import"))
        return;
    import_module(follow, from, level, module);
    import_names(follow, from, level, module, at + 6, end);
}

static void follow_one(const char *path, void *with)
{
    struct follow *follow = with;
    size_t size;
    const char *at = sources_whole(follow->sources, path, &size), *end = at ? at + size : NULL;

    if (runtimes_python(path) || !text_ends(path, ".py"))
        return;
    add_roots(follow, path);
    while (at && at < end) {
        const char *line = skip(at, end, " \t");

        if (end - line > 7 && text_begins(line, "import "))
            import_names(follow, path, 0, "", line + 7, end);
        else if (end - line > 5 && text_begins(line, "from "))
            import_from(follow, path, line + 5, end);
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
}

void python_imports_follow(struct sources *sources)
{
    struct follow follow = {.sources = sources};

    sources_each(sources, follow_one, &follow);
    intern_fini(&follow.roots);
    intern_fini(&follow.tried);
}
