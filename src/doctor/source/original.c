/* original.c - see original.h. */
#include "doctor/source/original.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "doctor/source/as_run.h"
#include "doctor/source/source.h"
#include "doctor/source/source_map.h"

#define SCRIPTS_MOST 4096

struct script {
    struct script *next;    /* owned */
    const char *path;       /* in the arena */
    const char *map_path;   /* in the arena; names of sources are relative to its folder */
    struct source_map *map; /* owned; NULL: the script has no usable map */
    struct text unpacked;   /* the document of an inline map, decoded; `map` refers to it */
    const char **files;     /* owned; path of each source, in the arena; NULL: not looked up yet */
    const char *problem;    /* in the arena: why the map cannot be used; NULL: no problem */
    bool used;              /* a position was translated with its map */
};

struct originals {
    struct sources *sources; /* borrowed */
    struct arena *arena;     /* borrowed */
    struct as_run *as_run;   /* borrowed; NULL: no texts of scripts were recorded */
    struct script *scripts;  /* owned; the latest first */
    size_t count;            /* of scripts */
};

struct originals *originals_new(struct sources *sources, struct arena *arena)
{
    struct originals *originals = mem_zalloc(sizeof(*originals));

    if (originals)
        *originals = (struct originals){.sources = sources, .arena = arena};
    return originals;
}

void originals_use(struct originals *originals, struct as_run *as_run)
{
    originals->as_run = as_run;
}

void originals_free(struct originals *originals)
{
    struct script *script = originals ? originals->scripts : NULL;

    while (script) {
        struct script *next = script->next;

        source_map_free(script->map);
        text_free(&script->unpacked);
        mem_free((void *)script->files);
        mem_free(script);
        script = next;
    }
    mem_free(originals);
}

/* ---- paths ---- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

/* The path of `name` relative to the folder of `from`, with "." and ".." resolved. An absolute `name`
 * stays absolute. */
static const char *beside(struct arena *arena, const char *from, const char *name)
{
    char path[PATH_MAX];
    size_t used = name[0] == '/' ? 0 : folder_length(from);

    if (used >= sizeof(path))
        return NULL;
    memcpy(path, from, used);
    while (*name) {
        const size_t length = strcspn(name, "/");

        if (length == 2 && memcmp(name, "..", 2) == 0) {
            while (used > 0 && path[--used] != '/')
                ;
        } else if (length > 0 && !(length == 1 && name[0] == '.')) {
            if (used + 1 + length >= sizeof(path))
                return NULL;
            path[used++] = '/';
            memcpy(path + used, name, length);
            used += length;
        }
        name += length + (name[length] == '/');
    }
    return used > 0 ? arena_text(arena, path, used) : NULL;
}

static bool is_at_hand(struct originals *originals, const char *path)
{
    size_t size;

    return sources_whole(originals->sources, path, &size) != NULL;
}

static bool is_there(struct originals *originals, const char *path)
{
    return is_at_hand(originals, path) || sources_changed(originals->sources, path);
}

/* A bundler names a source like "webpack://name/./src/a.ts". The project's folder is not part of it: it is
 * the folder of the script, or one above. */
static const char *in_project(struct originals *originals, const char *script, const char *name)
{
    struct arena *arena = originals->arena;
    const char *inside = strstr(name, "://"); /* data: a URL */
    const char *slash = inside ? strchr(inside + 3, '/') : NULL;
    const char *path = slash ? beside(arena, script, slash + (slash[1] == '/') + 1) : NULL;
    const char *first = path;
    const char *from = script;

    while (path && !is_there(originals, path)) {
        const size_t length = folder_length(from);

        if (length == 0)
            return text_has(name, "/webpack/") || text_has(name, "/external ") ? NULL : first;
        from = arena_text(arena, from, length);
        path = from ? beside(arena, from, slash + (slash[1] == '/') + 1) : NULL;
    }
    return path;
}

static const char *path_of(struct originals *originals, const struct script *script, char *name)
{
    const char *query = strchr(name, '?');
    const char *found;

    if (text_begins(name, "file://")) {
        text_decode_url(name + 7);
        return arena_text(originals->arena, name + 7, strlen(name + 7));
    }
    if (!text_has(name, "://"))
        return beside(originals->arena, script->map_path, name);
    if (query)
        name[query - name] = 0;
    found = in_project(originals, script->path, name);
    return found ? found : arena_text(originals->arena, name, strlen(name));
}

/* ---- maps ---- */

/* The path of the map with this URL. NULL: the URL is not that of a local file. */
static const char *map_file(struct originals *originals, const char *script, const char *url,
                            size_t length)
{
    char name[PATH_MAX];
    const char *from = name;

    if (length >= sizeof(name))
        return NULL;
    memcpy(name, url, length);
    name[length] = 0;
    name[strcspn(name, "?#")] = 0;
    if (text_begins(name, "file://"))
        from = name + 7;
    else if (text_has(name, "://"))
        return NULL;
    text_decode_url(name + (from - name));
    return beside(originals->arena, script, from);
}

static void read_map(struct originals *originals, struct script *script, const char *bytes,
                     size_t size)
{
    struct why why = {""};

    if (source_map_new(&script->map, bytes, size, &why) != 0) {
        script->problem = arena_print(originals->arena, "The source map of %s cannot be used: %s.",
                                      script->path, why.text);
        return;
    }
    script->files =
        mem_zalloc_array(source_map_count(script->map), sizeof(*script->files));
    if (!script->files) {
        source_map_free(script->map);
        script->map = NULL;
    }
}

static void find_map(struct originals *originals, struct script *script)
{
    size_t size, length;
    const char *url, *bytes = as_run_text(originals->as_run, script->path, &size);

    bytes = bytes ? bytes : sources_whole(originals->sources, script->path, &size);
    if (!bytes || !source_map_url(bytes, size, &url, &length))
        return;
    script->map_path = script->path;
    if (source_map_inline(url, length, &script->unpacked)) {
        read_map(originals, script, text_string(&script->unpacked), script->unpacked.length);
        return;
    }
    script->map_path = map_file(originals, script->path, url, length);
    bytes = script->map_path ? sources_whole(originals->sources, script->map_path, &size) : NULL;
    if (bytes)
        read_map(originals, script, bytes, size);
    else
        script->problem =
            arena_print(originals->arena, "%s names a source map that cannot be read; its lines are "
                                          "those of the generated script.",
                        script->path);
}

static struct script *script_of(struct originals *originals, const char *path)
{
    struct script *script = originals->scripts;

    while (script && strcmp(script->path, path) != 0)
        script = script->next;
    if (script || originals->count == SCRIPTS_MOST)
        return script;
    script = mem_zalloc(sizeof(*script));
    if (!script)
        return NULL;
    script->path = arena_text(originals->arena, path, strlen(path));
    if (!script->path) {
        mem_free(script);
        return NULL;
    }
    script->next = originals->scripts;
    originals->scripts = script;
    originals->count++;
    find_map(originals, script);
    return script;
}

/* If the file of a source is missing, the text of the source in the map is used. */
static const char *file_of(struct originals *originals, struct script *script, size_t source)
{
    struct text name = {0}, text = {0};

    if (script->files[source])
        return script->files[source];
    if (source_map_name(script->map, source, &name)) {
        char *copy = mem_copy_text(text_string(&name), name.length);

        script->files[source] = copy ? path_of(originals, script, copy) : NULL;
        mem_free(copy);
    }
    if (script->files[source] && !is_at_hand(originals, script->files[source]) &&
        source_map_text(script->map, source, &text))
        sources_give(originals->sources, script->files[source], text_string(&text), text.length);
    text_free(&name);
    text_free(&text);
    return script->files[source];
}

bool originals_find(struct originals *originals, const char **file, unsigned *line, unsigned column)
{
    struct script *script = *file && (*file)[0] == '/' ? script_of(originals, *file) : NULL;
    struct source_position found;
    const char *original;

    if (!script || !script->map)
        return false;
    if (*line == 0 && source_map_count(script->map) == 1) /* no line known: only the file is replaced */
        found = (struct source_position){0};
    else if (!source_map_find(script->map, *line, column, &found))
        return false;
    original = file_of(originals, script, found.source);
    if (!original)
        return false;
    script->used = true;
    *file = original;
    *line = found.line;
    return true;
}

const char *originals_note(const struct originals *originals)
{
    const struct script *first = NULL;
    const char *problem = NULL;
    size_t used = 0;

    for (const struct script *script = originals->scripts; script; script = script->next) {
        first = script->used ? script : first;
        used += script->used;
        problem = script->problem ? script->problem : problem;
    }
    if (used == 0)
        return problem;
    return arena_print(originals->arena,
                       "Lines refer to the original sources, through the source maps of %s%s.%s%s",
                       first->path,
                       used > 1 ? arena_print(originals->arena, " and %zu more scripts", used - 1)
                                : "",
                       problem ? " " : "", problem ? problem : "");
}
