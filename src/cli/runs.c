/* runs.c - see runs.h. */
#include "cli/runs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owned.h"
#include "run/system/proc.h"
#include "ledger/mailbox.h"

#define LOOKS 3 /* of a process that just started: its probe may not have mapped the bell yet */

/* ---- one process ---- */

/* The kernel writes a newline in a path as \012, and a backslash as it is. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        if (strncmp(from, "\\012", 4) == 0) {
            *to = '\n';
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = 0;
}

/* "address rw-s offset device inode   /path/bell": the directory, inside `line`; NULL: another. */
static char *bell_in(char *line)
{
    static const char name[] = "/" BELL_NAME;
    char *path = strchr(line, '/');
    const char *mode = strchr(line, ' ');
    size_t length;

    if (!path || !mode || strncmp(mode, " rw-s", 5) != 0)
        return NULL;
    path[strcspn(path, "\n")] = 0;
    length = strlen(path);
    if (length < sizeof(name) || strcmp(path + length - sizeof(name) + 1, name) != 0)
        return NULL;
    path[length - sizeof(name) + 1] = 0;
    unescape(path);
    return path;
}

static bool is_foreign(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !owned_by_us(&info);
}

int runs_check_owner(const char *path, struct why *why)
{
    return is_foreign(path) ? fail(why, ERR_USAGE,
                                   "%s belongs to another user; --all-users watches it anyway",
                                   path)
                            : 0;
}

/* Any user may have a file of that name, so its beginning is checked. */
static bool is_bell(const char *directory)
{
    char path[PATH_MAX + sizeof(BELL_NAME) + 1], magic[8];
    bool same = false;
    int fd;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, BELL_NAME);
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        same = read(fd, magic, sizeof(magic)) == sizeof(magic) &&
               memcmp(magic, BELL_MAGIC, sizeof(magic)) == 0;
        (void)close(fd);
    }
    return same;
}

/* 1: it belongs to a run; 0: it does not; -1: unknown, errno says why. Of another user's process only the
 * name is read, unless `all_users` is set. */
static int look_into(pid_t pid, bool all_users, char path[PATH_MAX])
{
    char name[64], *line = NULL;
    size_t size = 0;
    FILE *maps;
    int found = 0;

    (void)snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
    maps = fopen(name, "re");
    if (!maps)
        return -1;
    while (!found && getline(&line, &size, maps) > 0) {
        const char *directory = bell_in(line);

        if (directory && strlen(directory) < PATH_MAX &&
            ((!all_users && is_foreign(directory)) || is_bell(directory))) {
            memcpy(path, directory, strlen(directory) + 1);
            found = 1;
        }
    }
    if (!found && ferror(maps))
        found = -1;
    free(line); /* getline's */
    (void)fclose(maps);
    return found;
}

int runs_of(pid_t pid, char path[PATH_MAX], struct why *why)
{
    const int found = look_into(pid, false, path);

    if (found > 0)
        return 0;
    if (found < 0 && (errno == ENOENT || errno == ESRCH))
        return fail(why, ERR_ABSENT, "process %d does not exist", (int)pid);
    if (found < 0)
        return fail(why, ERR_IO, "process %d cannot be examined: %s", (int)pid,
                    err_words(errno));
    return fail(why, ERR_ABSENT, "process %d is not under tare", (int)pid);
}

/* ---- all of them ---- */

void runs_fini(struct runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        mem_free(runs->list[i].path);
    mem_free(runs->list);
    *runs = (struct runs){.all_users = runs->all_users};
}

static struct runs_seen *seen(const struct runs *runs, pid_t pid, const struct proc_stat *stat)
{
    for (size_t low = 0, high = runs->count; low < high;) {
        const size_t middle = (low + high) / 2;
        struct runs_seen *entry = &runs->list[middle];

        if (entry->pid == pid)
            return entry->ticks == stat->ticks && strcmp(entry->name, stat->name) == 0 ? entry
                                                                                       : NULL;
        if (entry->pid < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Fills the entry of a process from its earlier entry, or from its maps. */
static void note(struct runs_seen *entry, struct runs *before, pid_t pid,
                 const struct proc_stat *stat)
{
    struct runs_seen *old = seen(before, pid, stat);
    char path[PATH_MAX];

    *entry = (struct runs_seen){.pid = pid, .ticks = stat->ticks};
    memcpy(entry->name, stat->name, sizeof(entry->name));
    if (old) {
        entry->looks = old->looks;
        entry->path = old->path;
        entry->foreign = old->foreign;
        old->path = NULL;
    }
    if (entry->path || entry->looks == LOOKS)
        return;
    entry->looks++;
    if (look_into(pid, before->all_users, path) > 0) {
        entry->path = mem_copy_text(path, strlen(path));
        entry->foreign = is_foreign(path);
    }
}

void runs_look(struct runs *runs)
{
    struct pids pids = {0};
    struct runs now = {.all_users = runs->all_users};

    proc_list(&pids);
    now.list = mem_zalloc_array(pids.count + 1, sizeof(*now.list));
    for (size_t i = 0; now.list && i < pids.count; i++) {
        struct proc_stat stat;

        if (pids.list[i] != getpid() && proc_stat(pids.list[i], &stat) && stat.state != 'Z')
            note(&now.list[now.count++], runs, pids.list[i], &stat);
    }
    mem_free(pids.list);
    if (!now.list)
        return; /* keeps the earlier entry */
    runs_fini(runs);
    *runs = now;
}

/* Is it the first of this run? */
static bool is_first(const struct runs *runs, size_t which)
{
    for (size_t i = 0; i < which; i++)
        if (runs->list[i].path && strcmp(runs->list[i].path, runs->list[which].path) == 0)
            return false;
    return true;
}

size_t runs_paths(const struct runs *runs, const char **paths, size_t room, size_t *foreign)
{
    size_t count = 0;

    *foreign = 0;
    for (size_t i = 0; i < runs->count; i++) {
        if (!runs->list[i].path || !is_first(runs, i))
            continue;
        if (runs->list[i].foreign && !runs->all_users)
            (*foreign)++;
        else if (count < room)
            paths[count++] = runs->list[i].path;
    }
    return count;
}
