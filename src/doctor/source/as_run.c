/* as_run.c - see as_run.h. */
#include "doctor/source/as_run.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/filemap.h"
#include "base/mem.h"
#include "base/text.h"
#include "ledger/layout_scripts.h"
#include "ledger/writer.h"

struct as_run {
    char *path;         /* owned; NULL: the file was opened, or could not be */
    struct filemap map; /* the file with the scripts; empty until it is opened */
};

struct as_run *as_run_new(const char *directory, uint32_t pid, uint32_t generation)
{
    struct as_run *as_run = mem_zalloc(sizeof(*as_run));
    char name[LEDGER_NAME_MAX], path[PATH_MAX];
    int length;

    if (!as_run || !directory)
        return as_run;
    ledger_name(name, pid, generation, SCRIPTS_SUFFIX);
    length = snprintf(path, sizeof(path), "%s/%s", directory, name);
    if (length > 0 && (size_t)length < sizeof(path))
        as_run->path = mem_copy_text(path, (size_t)length);
    return as_run;
}

void as_run_free(struct as_run *as_run)
{
    if (as_run) {
        filemap_close(&as_run->map);
        mem_free(as_run->path);
    }
    mem_free(as_run);
}

static void open_once(struct as_run *as_run)
{
    struct why why;

    if (as_run->path && filemap_open(&as_run->map, AT_FDCWD, as_run->path, &why) != 0)
        as_run->map = (struct filemap){0};
    mem_free(as_run->path);
    as_run->path = NULL;
}

/* The query and the fragment of a URL are not part of the path. */
bool as_run_path(const char *name, size_t length, char *out, size_t room)
{
    static const char scheme[] = "file://";
    const size_t skip = sizeof(scheme) - 1;
    const bool is_url = length > skip && memcmp(name, scheme, skip) == 0;

    if (is_url) {
        name += skip;
        length -= skip;
    }
    if (length >= room)
        return false;
    memcpy(out, name, length);
    out[length] = 0;
    if (is_url) {
        out[strcspn(out, "?#")] = 0;
        text_decode_url(out);
    }
    return true;
}

static bool is_named(const char *name, size_t length, const char *path)
{
    char own[PATH_MAX];

    return as_run_path(name, length, own, sizeof(own)) && strcmp(own, path) == 0;
}

const char *as_run_text(struct as_run *as_run, const char *path, size_t *size)
{
    const char *found = NULL;
    size_t at = 0;

    *size = 0;
    if (!as_run)
        return NULL;
    open_once(as_run);
    while (as_run->map.size - at >= sizeof(struct script_text_record)) {
        const char *bytes = (const char *)as_run->map.bytes + at;
        struct script_text_record record;
        size_t left = as_run->map.size - at - sizeof(record);

        memcpy(&record, bytes, sizeof(record));
        if (memcmp(record.magic, SCRIPTS_MAGIC, sizeof(record.magic)) != 0 ||
            record.path_bytes > left || record.text_bytes > left - record.path_bytes)
            break;
        bytes += sizeof(record);
        if (is_named(bytes, record.path_bytes, path)) {
            found = bytes + record.path_bytes;
            *size = record.text_bytes;
        }
        at += sizeof(record) + record.path_bytes + record.text_bytes;
    }
    return found;
}
