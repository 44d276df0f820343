/* cgroup.c - see cgroup.h. */
#include "run/system/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/system/proc.h"

#define TEXT_SIZE 16384
#define UNLIMITED (1ull << 60) /* version 1 says "no limit" with a number near 2^63 */

/* Is `word` one of the comma-separated `list`, which ends at `end`? */
static bool among(const char *list, const char *end, const char *word)
{
    const size_t length = strlen(word);

    while (list < end) {
        const char *comma = memchr(list, ',', (size_t)(end - list));
        const char *stop = comma ? comma : end;

        if ((size_t)(stop - list) == length && memcmp(list, word, length) == 0)
            return true;
        list = stop + 1;
    }
    return false;
}

/* /proc/self/cgroup: "id:controllers:path". The one that names "memory", else version 2's. */
static int find_path(const char *text, char *path, size_t size)
{
    int version = 0;

    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        const char *first, *second;

        line += *line == '\n';
        first = strchr(line, ':');
        second = first ? strchr(first + 1, ':') : NULL;
        if (!second)
            break;
        if (among(first + 1, second, "memory") || (version == 0 && second == first + 1)) {
            version = second == first + 1 ? 2 : 1;
            (void)snprintf(path, size, "%.*s", (int)strcspn(second + 1, "\n"), second + 1);
        }
        if (version == 1)
            break;
    }
    return version;
}

struct mount {
    char root[PATH_MAX];  /* the part of the hierarchy that is mounted */
    char point[PATH_MAX]; /* where it is mounted */
};

/* /proc/self/mountinfo: "id parent device root point options … - type source super-options". */
static bool find_mount(const char *text, int version, struct mount *out)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        char type[32], super[256];
        const char *dash;

        line += *line == '\n';
        dash = strstr(line, " - ");
        if (!dash || (strchr(line, '\n') && dash > strchr(line, '\n')))
            continue;
        if (sscanf(dash, " - %31s %*s %255s", type, super) != 2 ||
            sscanf(line, "%*s %*s %*s %4095s %4095s", out->root, out->point) != 2)
            continue;
        if (version == 2 && strcmp(type, "cgroup2") == 0)
            return true;
        if (version == 1 && strcmp(type, "cgroup") == 0 &&
            among(super, super + strlen(super), "memory"))
            return true;
    }
    return false;
}

/* The directory of our cgroup. In a container the path may be outside of what is mounted. */
static void place_own(struct cgroup *out, const char *root, const struct mount *mount,
                      const char *path)
{
    const size_t length = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
    const bool inside = strncmp(path, mount->root, length) == 0 && !strstr(path, "/..") &&
                        (path[length] == '/' || path[length] == 0);
    const char *rest = inside ? path + length : "";

    (void)snprintf(out->mount, sizeof(out->mount), "%s%s", root, mount->point);
    if (strcmp(rest, "/") == 0)
        rest = "";
    if (snprintf(out->own, sizeof(out->own), "%s%s", out->mount, rest) >= (int)sizeof(out->own) ||
        access(out->own, F_OK) != 0)
        (void)snprintf(out->own, sizeof(out->own), "%s", out->mount);
}

static ssize_t read_in(const char *directory, const char *file, char *text, size_t size)
{
    char path[PATH_MAX + 64];

    (void)snprintf(path, sizeof(path), "%s/%s", directory, file);
    return proc_read(path, text, size);
}

static void add_limit(struct cgroup *out, const char *path, uint64_t bytes)
{
    struct cgroup_limit *limit = &out->limits[out->limit_count];

    if (bytes >= UNLIMITED || out->limit_count == CGROUP_LIMITS_MAX)
        return;
    (void)snprintf(limit->path, sizeof(limit->path), "%s", path);
    limit->bytes = bytes;
    out->limit_count++;
}

static uint64_t limit_of(const struct cgroup *cgroup, const char *path)
{
    char text[64];

    if (read_in(path, cgroup->version == 2 ? "memory.max" : "memory.limit_in_bytes", text,
                sizeof(text)) <= 0 ||
        strncmp(text, "max", 3) == 0)
        return UNLIMITED;
    return strtoull(text, NULL, 10);
}

static void walk_up(struct cgroup *out)
{
    char path[PATH_MAX];
    const size_t top = strlen(out->mount);
    char *slash;

    (void)snprintf(path, sizeof(path), "%s", out->own);
    do {
        add_limit(out, path, limit_of(out, path));
        slash = strrchr(path, '/');
        if (slash)
            *slash = 0;
    } while (slash && strlen(path) >= top);
}

/* Version 1 has the lowest limit of all ancestors, also of those that are not visible. */
static void add_hidden(struct cgroup *out)
{
    char text[TEXT_SIZE];
    uint64_t bytes, least = UNLIMITED;

    for (size_t i = 0; i < out->limit_count; i++)
        least = out->limits[i].bytes < least ? out->limits[i].bytes : least;
    if (read_in(out->own, "memory.stat", text, sizeof(text)) > 0 &&
        proc_value(text, "hierarchical_memory_limit", &bytes) && bytes < least)
        add_limit(out, out->own, bytes);
}

void cgroup_find(struct cgroup *out, const char *root)
{
    static char text[1 << 18]; /* mountinfo is long on machines with many containers */
    char path[PATH_MAX] = "", proc[PATH_MAX];
    struct mount mount;

    memset(out, 0, sizeof(*out));
    (void)snprintf(proc, sizeof(proc), "%s/proc/self", root);
    if (read_in(proc, "cgroup", text, sizeof(text)) > 0)
        out->version = find_path(text, path, sizeof(path));
    if (out->version == 0 || read_in(proc, "mountinfo", text, sizeof(text)) <= 0 ||
        !find_mount(text, out->version, &mount)) {
        out->version = 0;
        return;
    }
    place_own(out, root, &mount, path);
    walk_up(out);
    if (out->version == 1)
        add_hidden(out);
}

uint64_t cgroup_used(const struct cgroup *cgroup, const char *path)
{
    const bool second = cgroup->version == 2;
    char text[TEXT_SIZE];
    uint64_t used, idle = 0;

    if (cgroup->version == 0 ||
        read_in(path, second ? "memory.current" : "memory.usage_in_bytes", text, sizeof(text)) <= 0)
        return 0;
    used = strtoull(text, NULL, 10);
    if (read_in(path, "memory.stat", text, sizeof(text)) > 0)
        (void)proc_value(text, second ? "inactive_file" : "total_inactive_file", &idle);
    return used > idle ? used - idle : 0;
}

bool cgroup_kills(const struct cgroup *cgroup, uint64_t *count)
{
    char text[TEXT_SIZE];

    return cgroup->version != 0 &&
           read_in(cgroup->own, cgroup->version == 2 ? "memory.events" : "memory.oom_control", text,
                   sizeof(text)) > 0 &&
           proc_value(text, "oom_kill", count);
}
