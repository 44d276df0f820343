/* source.c - see source.h. A list of files, the last one used first: reports ask for few. */
#include "doctor/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

#define FILE_LIMIT  (16u * 1024u * 1024u)
#define TOTAL_LIMIT (48u * 1024u * 1024u) /* of all files kept */
#define LINE_LIMIT  200                   /* bytes; what follows is left out */

struct source_file {
    struct source_file *next; /* owned */
    char *path;               /* owned */
    char *bytes;              /* owned; NULL: not at hand */
    size_t size;
};

struct sources {
    struct source_file *files; /* owned */
    struct arena *arena;       /* borrowed: the texts given out */
    size_t total;
};

struct sources *sources_new(struct arena *arena)
{
    struct sources *sources = mem_zalloc(sizeof(*sources));

    if (sources)
        sources->arena = arena;
    return sources;
}

void sources_free(struct sources *sources)
{
    struct source_file *file = sources ? sources->files : NULL;

    while (file) {
        struct source_file *next = file->next;

        mem_free(file->path);
        mem_free(file->bytes);
        mem_free(file);
        file = next;
    }
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

/* A path from a ledger may name anything, a pipe or a device too: those are not opened to wait. */
static void load(struct source_file *file, size_t room)
{
    const int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info;

    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
        info.st_size <= FILE_LIMIT && (size_t)info.st_size <= room) {
        file->bytes = mem_zalloc((size_t)info.st_size);
        if (file->bytes)
            file->size = read_all(fd, file->bytes, (size_t)info.st_size);
    }
    (void)close(fd);
}

static struct source_file *file_of(struct sources *sources, const char *path)
{
    struct source_file **at = &sources->files, *file;

    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    file = *at;
    if (file) {
        *at = file->next;
    } else {
        file = mem_zalloc(sizeof(*file));
        if (file)
            file->path = mem_copy_text(path, strlen(path));
        if (!file || !file->path) {
            mem_free(file);
            return NULL;
        }
        load(file, TOTAL_LIMIT - sources->total);
        sources->total += file->size;
    }
    file->next = sources->files;
    sources->files = file;
    return file;
}

/* at[length] trimmed, harmless, with blanks for tabs; NULL when nothing is left. */
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
    const struct source_file *file = line > 0 ? file_of(sources, path) : NULL;
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

const char *sources_whole(struct sources *sources, const char *path, size_t *size)
{
    const struct source_file *file = file_of(sources, path);

    *size = file ? file->size : 0;
    return file ? file->bytes : NULL;
}

void sources_give(struct sources *sources, const char *path, const char *bytes, size_t size)
{
    struct source_file *file = file_of(sources, path);

    if (!file || file->bytes || size == 0 || size > FILE_LIMIT ||
        size > TOTAL_LIMIT - sources->total)
        return;
    file->bytes = mem_copy_text(bytes, size);
    file->size = file->bytes ? size : 0;
    sources->total += file->size;
}
