/* run.c - run_load: all ledgers of one run, from its directory or from one file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemap.h"
#include "base/mem.h"
#include "ledger/model.h"

/* ---- lists ---- */

static int add_process(struct run *run, struct model *model, struct why *why)
{
    struct model **grown =
        mem_resize(run->processes, run->process_count + 1, sizeof(*run->processes));

    if (!grown)
        return fail(why, ERR_NOMEM, "no memory for one more process");
    run->processes = grown;
    run->processes[run->process_count++] = model;
    return 0;
}

static int add_refused(struct run *run, const char *name, const char *reason, struct why *why)
{
    char line[sizeof(why->text) + 300];
    char *copy, **grown;
    const int length = snprintf(line, sizeof(line), "%s: %s", name, reason);

    copy = mem_copy_text(line, length < 0 ? 0 : strlen(line));
    grown = copy ? mem_resize(run->refused, run->refused_count + 1, sizeof(*run->refused)) : NULL;
    if (!grown) {
        mem_free(copy);
        return fail(why, ERR_NOMEM, "no memory to say why %s was refused", name);
    }
    run->refused = grown;
    run->refused[run->refused_count++] = copy;
    return 0;
}

static int keep(struct run *run, struct model *model, struct why *why)
{
    int err = 0;

    if (model->head.role == ROLE_RUN && !run->own)
        run->own = model;
    else
        err = add_process(run, model, why);
    if (err)
        model_free(model);
    return err;
}

/* ---- a file ---- */

typedef int load_map_fn(struct model **out, const struct filemap *map, struct why *why);

/* How the files are read; their holes, which are most of them, are not read ahead. */
struct loading {
    struct run *run;
    load_map_fn *load;
};

/* Ends in an error only where the whole run cannot be read on: when there is no memory. */
static int load_member(const struct loading *loading, int directory, const char *name,
                       enum ledger_role role, struct why *why)
{
    struct run *run = loading->run;
    struct filemap map = {0};
    struct model *model = NULL;
    struct why inner = {""};
    int err = filemap_open(&map, directory, name, &inner);
    const bool opened = err == 0;

    if (opened) {
        filemap_read_nothing_ahead(&map);
        err = loading->load(&model, &map, &inner);
    }
    filemap_close(&map);
    if (!err && model->head.role != role) {
        model_free(model);
        return add_refused(run, name, "its name does not fit what it says it is", why);
    }
    if (!err)
        return keep(run, model, why);
    if (err == ERR_NOMEM)
        return fail(why, err, "%s: %s", name, inner.text);
    if (err == ERR_ABSENT) {
        run->unbegun += opened;
        return 0;
    }
    /* What the file map says begins with the name already. */
    return opened ? add_refused(run, name, inner.text, why)
                  : add_refused(run, name, inner.text + strlen(name) + 2, why);
}

static int load_file(struct run *run, int fd, const char *path, struct why *why)
{
    struct filemap map = {0};
    struct model *model = NULL;
    struct why inner = {""};
    int err = filemap_open_fd(&map, fd, path, why);

    if (!err) {
        err = model_load_map(&model, &map, &inner);
        if (err)
            (void)fail(why, err, "%s: %s", path, inner.text);
    }
    filemap_close(&map);
    return err ? err : keep(run, model, why);
}

/* ---- a directory ---- */

/* "PID.GENERATION.tare" */
static bool is_process_name(const char *name)
{
    const size_t pid = strspn(name, "0123456789");
    size_t generation;

    if (pid == 0 || name[pid] != '.')
        return false;
    generation = strspn(name + pid + 1, "0123456789");
    return generation > 0 && strcmp(name + pid + 1 + generation, LEDGER_SUFFIX) == 0;
}

static int load_members(const struct loading *loading, DIR *list, struct why *why)
{
    const struct dirent *entry;
    int err = 0;

    while (!err && (entry = readdir(list))) {
        if (strcmp(entry->d_name, LEDGER_RUN_NAME) == 0)
            err = load_member(loading, dirfd(list), entry->d_name, ROLE_RUN, why);
        else if (is_process_name(entry->d_name))
            err = load_member(loading, dirfd(list), entry->d_name, ROLE_PROCESS, why);
    }
    return err;
}

static int by_start(const void *a, const void *b)
{
    const struct ledger_header *left = &(*(struct model *const *)a)->head;
    const struct ledger_header *right = &(*(struct model *const *)b)->head;

    if (left->start_mono != right->start_mono)
        return left->start_mono < right->start_mono ? -1 : 1;
    if (left->pid != right->pid)
        return left->pid < right->pid ? -1 : 1;
    return left->generation < right->generation ? -1 : left->generation > right->generation;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct run *run)
{
    if (run->process_count > 1)
        qsort(run->processes, run->process_count, sizeof(*run->processes), by_start);
    if (run->refused_count > 1)
        qsort(run->refused, run->refused_count, sizeof(*run->refused), by_text);
}

/* Takes the descriptor over. */
static int load_directory(const struct loading *loading, int fd, const char *path, struct why *why)
{
    struct run *run = loading->run;
    DIR *list = fdopendir(fd);
    int err;

    if (!list) {
        err = fail(why, ERR_IO, "%s: %s", path, err_words(errno));
        (void)close(fd);
        return err;
    }
    err = load_members(loading, list, why);
    (void)closedir(list);
    if (err)
        return err;
    sort(run);
    if (run->own || run->process_count > 0)
        return 0;
    if (run->refused_count > 0)
        return fail(why, ERR_FORMAT, "%s: no ledger in this directory can be read: %s", path,
                    run->refused[0]);
    if (run->unbegun > 0)
        return fail(why, ERR_ABSENT, "%s: %zu ledgers are there, but none was begun", path,
                    run->unbegun);
    return fail(why, ERR_ABSENT,
                "%s: no ledger in this directory (expected %s or PID.GENERATION%s)", path,
                LEDGER_RUN_NAME, LEDGER_SUFFIX);
}

static int keep_directory(struct run *run, const char *path, bool is_directory, struct why *why)
{
    const char *slash = strrchr(path, '/');

    run->directory = is_directory ? mem_copy_text(path, strlen(path))
                     : !slash     ? mem_copy_text(".", 1)
                                  : mem_copy_text(path, (size_t)(slash - path));
    return run->directory ? 0 : fail(why, ERR_NOMEM, "no memory for the name of a directory");
}

static int load(struct run *out, const char *path, load_map_fn *how, struct why *why)
{
    const struct loading loading = {out, how};
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info = {.st_mode = 0};
    int err;

    *out = (struct run){0};
    if (fd < 0 && errno == ELOOP)
        return fail(why, ERR_IO, "%s: a symbolic link is not followed; name what it points to",
                    path);
    if (fd < 0)
        return fail(why, errno == ENOENT ? ERR_ABSENT : ERR_IO, "%s: %s", path, err_words(errno));
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        err = load_directory(&loading, fd, path, why);
    } else {
        err = load_file(out, fd, path, why);
        (void)close(fd);
    }
    if (!err)
        err = keep_directory(out, path, S_ISDIR(info.st_mode), why);
    if (!err)
        out->going_on = out->own && run_going_on(out->directory, out->own);
    if (err)
        run_free(out);
    return err;
}

int run_load(struct run *out, const char *path, struct why *why)
{
    return load(out, path, model_load_map, why);
}

int run_load_brief(struct run *out, const char *path, struct why *why)
{
    return load(out, path, model_load_brief, why);
}

void run_since(struct run *run, uint64_t time)
{
    run->since = time;
    for (size_t i = 0; time && i < run->process_count; i++)
        if (!run->processes[i]->brief)
            model_since(run->processes[i], time);
}

int run_read(const struct run *run, size_t process, struct model **out, struct why *why)
{
    struct model *known = run->processes[process];
    char path[PATH_MAX];
    int length, err;

    *out = known;
    if (!known->brief)
        return 0;
    length = snprintf(path, sizeof(path), "%s/%u.%u%s", run->directory, known->head.pid,
                      known->head.generation, LEDGER_SUFFIX);
    if (length < 0 || (size_t)length >= sizeof(path))
        return fail(why, ERR_IO, "%s: the path is too long", run->directory);
    err = model_load_file(out, path, why);
    if (!err && run->since)
        model_since(*out, run->since);
    return err;
}

void run_give_back(const struct run *run, size_t process, struct model *model)
{
    if (model != run->processes[process])
        model_free(model);
}

void run_free(struct run *run)
{
    model_free(run->own);
    for (size_t i = 0; i < run->process_count; i++)
        model_free(run->processes[i]);
    for (size_t i = 0; i < run->refused_count; i++)
        mem_free(run->refused[i]);
    mem_free(run->directory);
    mem_free(run->processes);
    mem_free(run->refused);
    *run = (struct run){0};
}
