/* packages.c - see packages.h.
 *
 * A folder below site-packages may hold files of several packages ("nvidia", "google"): then the folders
 * in it have owners of their own. A folder that still has two owners has none.
 */
#include "doctor/source/packages.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/filemap.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "ledger/model.h"
#include "ledger/writer.h"

#define NAME_MOST 255         /* bytes of a package's name, and of its version */
#define FILE_MOST (1u << 26)  /* bytes of a list of files */
#define HEAD_MOST (64u << 10) /* bytes of a description that are read */

/* A file or folder that may belong to a package. */
struct claimed {
    size_t root;              /* number of the folder of packages that it lies in */
    unsigned owners;          /* packages that have files there */
    char name[NAME_MOST + 1]; /* of the first owner */
    char version[NAME_MOST + 1];
};

struct work {
    struct intern roots;     /* folders of packages, each with its last slash */
    struct intern wanted;    /* files and folders: the path */
    struct claimed *claimed; /* owned; index: number in `wanted` */
    size_t room;
    size_t count;            /* wanted paths; numbers from here on are of other paths */
    bool failed;
};

/* ---- what is searched for ---- */

static void want(struct work *work, size_t root, const char *path, size_t length)
{
    const size_t number = intern_number(&work->wanted, path, length);

    if (number == INTERN_NONE || root == INTERN_NONE) {
        work->failed = true;
        return;
    }
    if (number >= work->room) {
        const size_t room = work->room > 0 ? work->room * 2 : 64;
        struct claimed *more = mem_zalloc_array(room, sizeof(*more));

        if (!more) {
            work->failed = true;
            return;
        }
        if (work->room > 0)
            memcpy(more, work->claimed, work->room * sizeof(*more));
        mem_free(work->claimed);
        work->claimed = more;
        work->room = room;
    }
    work->claimed[number].root = root;
}

/* The end of the last occurrence of a folder's name in the path; NULL: it is not there. */
static const char *after_last(const char *path, const char *folder)
{
    const char *found = NULL;

    for (const char *at = strstr(path, folder); at; at = strstr(at + 1, folder))
        found = at + strlen(folder);
    return found;
}

/* ".../site-packages/" and what the path has below it. NULL: it is not below such a folder. */
static const char *below(const char *path, bool *node)
{
    static const char *const folders[] = {"/node_modules/", "/site-packages/", "/dist-packages/"};
    const char *deepest = NULL;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *at = after_last(path, folders[i]);

        if (at && (!deepest || at > deepest)) {
            deepest = at;
            *node = i == 0;
        }
    }
    return deepest;
}

/* The first part of the path below the root, and the first two. */
static void want_path(struct work *work, const char *path)
{
    bool node = false;
    const char *rest = below(path, &node), *slash;
    size_t root;

    if (!rest || !rest[0])
        return;
    root = intern_number(&work->roots, path, (size_t)(rest - path));
    slash = strchr(rest, '/');
    if (!node || rest[0] != '@' || !slash)
        want(work, root, path, slash ? (size_t)(slash - path) : strlen(path));
    if (slash && (!node || rest[0] == '@')) {
        const char *second = strchr(slash + 1, '/');

        want(work, root, path, second ? (size_t)(second - path) : strlen(path));
    }
}

static void want_all(struct work *work, const struct model *model)
{
    for (size_t i = 0; i < model->module_count; i++)
        want_path(work, model->modules[i].path);
    for (size_t i = 0; i < model->code_count; i++)
        want_path(work, model->code[i].file);
    for (size_t i = 0; i < model->script_count; i++) {
        const char *file = model->scripts[i].file;

        want_path(work, text_begins(file, "file://") ? file + strlen("file://") : file);
    }
}

/* ---- Python ---- */

/* A folder "NAME.dist-info" that pip left, or an older "NAME.egg-info". */
struct described {
    int folder;       /* open */
    const char *root; /* the folder of packages, with its last slash */
    char name[NAME_MOST + 1], version[NAME_MOST + 1];
};

/* "Name: h5py" at the beginning of a line. */
static void take_field(const char *line, size_t length, const char *field, char out[NAME_MOST + 1])
{
    const size_t size = strlen(field);
    size_t used;

    if (out[0] || length <= size || memcmp(line, field, size) != 0)
        return;
    used = length - size < NAME_MOST ? length - size : NAME_MOST;
    memcpy(out, line + size, used);
    out[used] = 0;
    out[strcspn(out, "\r")] = 0;
}

static bool read_description(struct described *one, const char *file)
{
    struct filemap map = {0};
    struct why why;
    const char *at, *end;

    if (filemap_open(&map, one->folder, file, &why) != 0)
        return false;
    at = (const char *)map.bytes;
    end = at + (map.size < HEAD_MOST ? map.size : HEAD_MOST);
    while (at < end && *at != '\n') { /* an empty line ends the fields */
        const char *next = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((next ? next : end) - at);

        take_field(at, length, "Name: ", one->name);
        take_field(at, length, "Version: ", one->version);
        at += length + 1;
    }
    filemap_close(&map);
    return one->name[0] && one->version[0];
}

static void claim(struct work *work, const struct described *one, const char *part, size_t length)
{
    char path[4096];
    const int size = snprintf(path, sizeof(path), "%s%.*s", one->root, (int)length, part);
    struct claimed *claimed;
    size_t number;

    if (size <= 0 || (size_t)size >= sizeof(path))
        return;
    number = intern_number(&work->wanted, path, (size_t)size);
    if (number >= work->count) /* also INTERN_NONE */
        return;
    claimed = &work->claimed[number];
    if (claimed->owners > 0 && text_is(claimed->name, one->name))
        return;
    claimed->owners++;
    memcpy(claimed->name, one->name, sizeof(claimed->name));
    memcpy(claimed->version, one->version, sizeof(claimed->version));
}

/* The parts of the path before the first and the second slash. */
static void claim_line(struct work *work, const struct described *one, const char *line, size_t length)
{
    const char *comma = memchr(line, ',', length);
    const size_t size = comma ? (size_t)(comma - line) : length;
    const char *slash = memchr(line, '/', size), *second;
    const size_t first = slash ? (size_t)(slash - line) : size;

    if (size == 0 || (size > 1 && memcmp(line, "..", 2) == 0))
        return;
    claim(work, one, line, first);
    if (!slash)
        return;
    second = memchr(slash + 1, '/', size - first - 1);
    claim(work, one, line, second ? (size_t)(second - line) : size);
}

/* How much of two lines is the same up to the second slash: of neighbours it mostly is. */
static bool same_folder(const char *line, const char *before, size_t before_length)
{
    unsigned slashes = 0;

    for (size_t i = 0; i < before_length && line[i] == before[i]; i++)
        if (line[i] == '/' && ++slashes == 2)
            return true;
    return false;
}

static void claim_files(struct work *work, const struct described *one, const char *file)
{
    struct filemap map = {0};
    struct why why;
    const char *at, *end, *before = NULL;
    size_t before_length = 0;

    if (filemap_open(&map, one->folder, file, &why) != 0)
        return;
    at = (const char *)map.bytes;
    end = at + (map.size < FILE_MOST ? map.size : FILE_MOST);
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((next ? next : end) - at);

        if (!before || before_length > length || !same_folder(at, before, before_length))
            claim_line(work, one, at, length);
        before = at;
        before_length = length;
        at += length + 1;
    }
    filemap_close(&map);
}

static void look_at_description(struct work *work, int root, const char *root_path, const char *name)
{
    struct described one = {.root = root_path};

    if (!text_ends(name, ".dist-info") && !text_ends(name, ".egg-info"))
        return;
    one.folder = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (one.folder < 0)
        return;
    if (read_description(&one, "METADATA"))
        claim_files(work, &one, "RECORD");
    else if (read_description(&one, "PKG-INFO"))
        claim_files(work, &one, "top_level.txt");
    (void)close(one.folder);
}

static void look_in_root(struct work *work, const char *root)
{
    DIR *folder = opendir(root);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder)) != NULL)
        look_at_description(work, dirfd(folder), root, entry->d_name);
    if (folder)
        (void)closedir(folder);
}

/* ---- Node ---- */

/* The string after "key": at the outermost level of a document. */
static bool member(const char *at, const char *end, const char *key, char out[NAME_MOST + 1])
{
    unsigned depth = 0;
    size_t used = 0;

    while (at < end) {
        const char *begin = at + 1;

        depth += *at == '{' || *at == '[';
        depth -= depth > 0 && (*at == '}' || *at == ']');
        if (*at++ != '"')
            continue;
        for (; at < end && *at != '"'; at++)
            at += *at == '\\' && at + 1 < end;
        if (at >= end || depth != 1 || (size_t)(at - begin) != strlen(key) ||
            memcmp(begin, key, strlen(key)) != 0)
            at++;
        else
            break;
    }
    at = at < end ? at + 1 : end;
    while (at < end && (*at == ' ' || *at == ':'))
        at++;
    for (at++; at < end && *at != '"' && *at != '\\' && used < NAME_MOST; at++)
        out[used++] = *at;
    out[used] = 0;
    return used > 0;
}

static void look_at_node_package(struct claimed *claimed, const char *path)
{
    struct filemap map = {0};
    struct why why;
    char file[4096];

    if (snprintf(file, sizeof(file), "%s/package.json", path) >= (int)sizeof(file) ||
        filemap_open(&map, AT_FDCWD, file, &why) != 0)
        return;
    claimed->owners = map.size < FILE_MOST &&
                      member((const char *)map.bytes, (const char *)map.bytes + map.size, "name",
                             claimed->name) &&
                      member((const char *)map.bytes, (const char *)map.bytes + map.size, "version",
                             claimed->version);
    filemap_close(&map);
}

/* ---- recording ---- */

/* A folder in a folder with one owner says nothing more. */
static bool is_needless(struct work *work, size_t number)
{
    const struct intern_entry *entry = &work->wanted.entries[number];
    const char *slash = strrchr(entry->bytes, '/');
    const size_t length = slash ? (size_t)(slash - entry->bytes) : 0;

    for (size_t i = 0; i < work->count; i++)
        if (work->claimed[i].owners == 1 && work->wanted.entries[i].length == length &&
            memcmp(work->wanted.entries[i].bytes, entry->bytes, length) == 0)
            return true;
    return false;
}

static void append(struct work *work, struct ledger *ledger, size_t number)
{
    const struct claimed *claimed = &work->claimed[number];
    const struct intern_entry *path = &work->wanted.entries[number];
    struct package_record record = {.spare = 0};

    if (claimed->owners != 1 || is_needless(work, number))
        return;
    record.path = ledger_string(ledger, path->bytes, path->length);
    record.name = ledger_string(ledger, claimed->name, strlen(claimed->name));
    record.version = ledger_string(ledger, claimed->version, strlen(claimed->version));
    if (record.path && record.name && record.version)
        (void)ledger_append(ledger, SECTION_packages, &record);
}

void packages_record(const struct run *run, struct ledger *ledger)
{
    struct work work = {.room = 0};

    for (size_t i = 0; i < run->process_count; i++)
        want_all(&work, run->processes[i]);
    work.count = work.failed ? 0 : work.wanted.count;
    for (size_t i = 0; i < work.roots.count && work.count > 0; i++)
        if (!text_ends(work.roots.entries[i].bytes, "/node_modules/"))
            look_in_root(&work, work.roots.entries[i].bytes);
    for (size_t i = 0; i < work.count; i++)
        if (text_ends(work.roots.entries[work.claimed[i].root].bytes, "/node_modules/"))
            look_at_node_package(&work.claimed[i], work.wanted.entries[i].bytes);
    for (size_t i = 0; i < work.count; i++)
        append(&work, ledger, i);
    intern_fini(&work.roots);
    intern_fini(&work.wanted);
    mem_free(work.claimed);
}

/* ---- looking up ---- */

const struct model_package *packages_find(const struct model *own, const char *path)
{
    const struct model_package *best = NULL;
    size_t best_length = 0;

    for (size_t i = 0; own && i < own->package_count; i++) {
        const struct model_package *one = &own->packages[i];
        const size_t length = strlen(one->path);

        if (length > best_length && strncmp(path, one->path, length) == 0 &&
            (path[length] == 0 || path[length] == '/')) {
            best = one;
            best_length = length;
        }
    }
    return best;
}
