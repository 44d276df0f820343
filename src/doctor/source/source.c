/* source.c - see source.h. */
#include "doctor/source/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text.h"
#include "ledger/model.h"
#include "ledger/writer.h"

#define FILE_LIMIT  (16u * 1024u * 1024u)
#define TOTAL_LIMIT (48u * 1024u * 1024u) /* bytes of all files together */
#define LINE_LIMIT  200                   /* bytes of a line that are shown */

struct source_file {
    const char *path; /* borrowed from the sources' paths */
    char *bytes;      /* owned; NULL: it cannot be read or may not be shown */
    size_t size;      /* of `bytes` */
    bool changed;     /* the file exists but has changed since the run */
};

struct sources {
    struct intern paths;        /* of the files */
    struct source_file **files; /* owned, as are its members; index: number of the path in `paths` */
    size_t room;                /* how many `files` has room for */
    struct arena *arena;        /* borrowed; lines are stored in it */
    const struct model *own;    /* borrowed: the run's own ledger, with the records; NULL: none */
    struct intern recorded;     /* the paths that have a record come first */
    size_t recorded_count;      /* how many paths have a record */
    size_t *records;            /* owned: for each recorded path the index of its first record */
    struct ledger *ledger;      /* borrowed: where files are recorded; NULL: they are not */
    uint64_t began;             /* when the run began, in ns since 1970; 0: a file needs a record */
    size_t total;               /* bytes of all files that were read */
};

static bool index_records(struct sources *sources)
{
    const struct model *own = sources->own;

    sources->records = mem_zalloc_array(own->source_count + 1, sizeof(*sources->records));
    for (size_t i = 0; sources->records && i < own->source_count; i++) {
        const size_t known = sources->recorded.count;
        const size_t number = intern_text(&sources->recorded, own->source_paths[i]);

        if (number == INTERN_NONE)
            return false;
        if (number == known)
            sources->records[number] = i;
    }
    sources->recorded_count = sources->recorded.count;
    return sources->records != NULL;
}

static bool is_trusted(const struct run *run)
{
    return run->going_on || run->started_here;
}

struct sources *sources_new(const struct run *run, struct arena *arena)
{
    struct sources *sources = mem_zalloc(sizeof(*sources));

    if (!sources)
        return NULL;
    sources->arena = arena;
    sources->own = run ? run->own : NULL;
    if (sources->own && is_trusted(run))
        sources->began = sources->own->head.start_real;
    if (!sources->own || index_records(sources))
        return sources;
    sources_free(sources);
    return NULL;
}

struct sources *sources_record(const struct run *run, struct ledger *ledger, struct arena *arena)
{
    struct sources *sources = sources_new(run, arena);

    if (!sources || !sources->own)
        return sources;
    sources->began = sources->own->head.start_real;
    sources->ledger = ledger;
    return sources;
}

void sources_free(struct sources *sources)
{
    if (!sources)
        return;
    for (size_t i = 0; sources->files && i < sources->paths.count; i++) {
        if (sources->files[i])
            mem_free(sources->files[i]->bytes);
        mem_free(sources->files[i]);
    }
    mem_free(sources->files);
    mem_free(sources->records);
    intern_fini(&sources->paths);
    intern_fini(&sources->recorded);
    mem_free(sources);
}

static size_t read_all(int fd, char *bytes, size_t size)
{
    size_t used = 0;
    ssize_t got = 1;

    while (used < size && got > 0) {
        got = read(fd, bytes + used, size - used);
        used += got > 0 ? (size_t)got : 0;
    }
    return used;
}

/* ---- which files may be read ---- */

static bool is_source(const char *path)
{
    static const char *const endings[] = {
        ".py",  ".pyw", ".pyx", ".pxd", ".pyi", ".c",   ".cc",  ".cpp", ".cxx",    ".c++",
        ".C",   ".h",   ".hh",  ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".tcc",    ".cu",
        ".cuh", ".hip", ".m",   ".mm",  ".rs",  ".go",  ".zig", ".d",   ".swift",  ".f",
        ".for", ".f90", ".f95", ".f03", ".f08", ".F",   ".F90", ".s",   ".S",      ".js",
        ".mjs", ".cjs", ".jsx", ".ts",  ".mts", ".cts", ".tsx", ".vue", ".svelte", ".map"};
    const char *slash = strrchr(path, '/');
    const char *dot = slash ? strrchr(slash + 1, '.') : NULL;

    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcmp(dot, endings[i]) == 0)
            return true;
    return false;
}

static const struct source_record *record_of(struct sources *sources, const char *path)
{
    const size_t known = sources->recorded_count;
    const size_t number = known > 0 ? intern_text(&sources->recorded, path) : INTERN_NONE;

    return number < known ? &sources->own->sources[sources->records[number]] : NULL;
}

static uint64_t nanoseconds(struct timespec time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* A path from a ledger may name a pipe or a device: opening must not wait. */
static bool read_file(struct source_file *file, struct stat *info, size_t room)
{
    const int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    bool is_regular = false;

    if (fd < 0)
        return false;
    if (fstat(fd, info) == 0 && S_ISREG(info->st_mode)) {
        is_regular = true;
        if (info->st_size <= FILE_LIMIT && (size_t)info->st_size <= room)
            file->bytes = mem_zalloc((size_t)info->st_size + 1);
        if (file->bytes)
            file->size = read_all(fd, file->bytes, (size_t)info->st_size);
    }
    (void)close(fd);
    return is_regular;
}

static void drop(struct source_file *file)
{
    mem_free(file->bytes);
    file->bytes = NULL;
    file->size = 0;
    file->changed = true;
}

static void record(struct sources *sources, const struct source_file *file, const struct stat *info,
                   bool script)
{
    const struct source_record record = {
        .path = ledger_string(sources->ledger, file->path, strlen(file->path)),
        .flags =
            (file->changed ? (uint32_t)SOURCE_CHANGED : 0) | (script ? (uint32_t)SOURCE_SCRIPT : 0),
        .size = (uint64_t)info->st_size,
        .modified = nanoseconds(info->st_mtim),
        .changed = nanoseconds(info->st_ctim),
        .hash = file->changed ? 0 : intern_hash(file->bytes, file->size)};

    if (record.path && (file->bytes || file->changed))
        (void)ledger_append(sources->ledger, SECTION_sources, &record);
}

/* A file without a record, during the run or in the session that started the program. */
static void load_new(struct sources *sources, struct source_file *file, bool script)
{
    struct stat info;

    if (sources->began == 0 || !(script || is_source(file->path)) ||
        !read_file(file, &info, TOTAL_LIMIT - sources->total))
        return;
    if (nanoseconds(info.st_mtim) > sources->began || nanoseconds(info.st_ctim) > sources->began)
        drop(file);
    if (sources->ledger)
        record(sources, file, &info, script);
}

static void load(struct sources *sources, struct source_file *file, bool script)
{
    const struct source_record *known = record_of(sources, file->path);
    struct stat info;

    if (file->path[0] != '/')
        return; /* the program's working directory is not known */
    if (!known)
        load_new(sources, file, script);
    else if ((known->flags & SOURCE_SCRIPT || is_source(file->path)) &&
             read_file(file, &info, TOTAL_LIMIT - sources->total) && file->bytes &&
             (known->flags & SOURCE_CHANGED || known->size != file->size ||
              known->hash != intern_hash(file->bytes, file->size)))
        drop(file);
    sources->total += file->size;
}

static bool make_room(struct sources *sources)
{
    const size_t room = sources->room ? 2 * sources->room : 32;
    struct source_file **files;

    if (sources->paths.count < sources->room)
        return true;
    files = mem_resize(sources->files, room, sizeof(struct source_file *));
    if (!files)
        return false;
    sources->files = files;
    sources->room = room;
    return true;
}

static struct source_file *file_of(struct sources *sources, const char *path, bool script)
{
    const size_t count = sources->paths.count;
    const size_t number = make_room(sources) ? intern_text(&sources->paths, path) : INTERN_NONE;
    struct source_file *file;

    if (number == INTERN_NONE || number < count)
        return number < count ? sources->files[number] : NULL;
    file = sources->files[number] = mem_zalloc(sizeof(*file));
    if (!file)
        return NULL;
    file->path = sources->paths.entries[number].bytes;
    load(sources, file, script);
    return file;
}

/* at[length], trimmed and harmless, with blanks for tabs. NULL: nothing is left. */
static const char *shown(struct sources *sources, const char *at, size_t length)
{
    char line[LINE_LIMIT];
    struct text safe = {0};
    const char *kept = NULL;
    size_t used = 0;

    while (length > 0 && isspace((unsigned char)*at)) {
        at++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)at[length - 1]))
        length--;
    for (; used < length && used < sizeof(line); used++)
        line[used] = at[used] == '\t' ? ' ' : at[used];
    text_safe(&safe, line, used);
    if (safe.length > 0 && !safe.failed)
        kept = arena_text(sources->arena, safe.bytes, safe.length);
    text_free(&safe);
    return kept;
}

const char *sources_line(struct sources *sources, const char *path, unsigned line)
{
    const struct source_file *file = line > 0 ? file_of(sources, path, false) : NULL;
    const char *at = file ? file->bytes : NULL;
    const char *end = at ? at + file->size : NULL, *stop;

    while (at && --line > 0) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || at == end)
        return NULL;
    stop = memchr(at, '\n', (size_t)(end - at));
    return shown(sources, at, (size_t)((stop ? stop : end) - at));
}

bool sources_changed(struct sources *sources, const char *path)
{
    const struct source_file *file = file_of(sources, path, false);

    return file && file->changed;
}

void sources_script(struct sources *sources, const char *path)
{
    (void)file_of(sources, path, true);
}

const char *sources_whole(struct sources *sources, const char *path, size_t *size)
{
    const struct source_file *file = file_of(sources, path, false);

    *size = file ? file->size : 0;
    return file ? file->bytes : NULL;
}

void sources_give(struct sources *sources, const char *path, const char *bytes, size_t size)
{
    struct source_file *file = file_of(sources, path, false);

    if (!file || file->bytes || size == 0 || size > FILE_LIMIT ||
        size > TOTAL_LIMIT - sources->total)
        return;
    file->bytes = mem_copy_text(bytes, size);
    file->size = file->bytes ? size : 0;
    file->changed = file->changed && !file->bytes;
    sources->total += file->size;
}

void sources_each(struct sources *sources, void (*visit)(const char *path, void *with), void *with)
{
    for (size_t i = 0; i < sources->paths.count; i++)
        if (sources->files[i] && sources->files[i]->bytes)
            visit(sources->files[i]->path, with);
}
