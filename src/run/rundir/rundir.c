/* rundir.c - see rundir.h. */
#include "run/rundir/rundir.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/confinement.h"
#include "base/guard.h"
#include "base/owned.h"
#include "base/secret.h"
#include "ledger/layout_scripts.h"

#define COMMAND_MAX 4000

/* ---- the files that tare makes ---- */

static bool is_flight(const char *name)
{
    return strcmp(name, RUNDIR_FLIGHT_TEXT) == 0 || strcmp(name, RUNDIR_FLIGHT_JSON) == 0;
}

/* Has it the name of a file that tare makes: "run.tare", "bell", those of the flight recorder, or
 * "PID.GENERATION" with one of the suffixes? */
static bool our_name(const char *name)
{
    const size_t pid = strspn(name, "0123456789");
    const size_t generation = name[pid] == '.' ? strspn(name + pid + 1, "0123456789") : 0;
    const char *suffix = name + pid + 1 + generation;

    if (is_flight(name) || strcmp(name, LEDGER_RUN_NAME) == 0 || strcmp(name, BELL_NAME) == 0)
        return true;
    return pid > 0 && generation > 0 &&
           (strcmp(suffix, LEDGER_SUFFIX) == 0 || strcmp(suffix, MAILBOX_SUFFIX) == 0 ||
            strcmp(suffix, SNAPSHOT_SUFFIX) == 0 || strcmp(suffix, SCRIPTS_SUFFIX) == 0);
}

static bool begins_flight(const char magic[8])
{
    static const char json[8] = "{\n  \"sch"; /* the report's first word is its schema */

    return memcmp(magic, json, 8) == 0 ||
           memcmp(magic, RUNDIR_FLIGHT_MAGIC, strlen(RUNDIR_FLIGHT_MAGIC)) == 0;
}

/* A file with such a name is from tare if it begins with one of our magic numbers, or is empty. */
static bool is_ours(int directory, const char *name)
{
    static const char unfilled[8];
    const int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    char magic[8] = {0};
    struct stat info;
    bool ours = false;

    if (fd < 0)
        return false;
    if (our_name(name) && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        const ssize_t got = read(fd, magic, sizeof(magic));

        ours = got == 0 || (got == 8 && (memcmp(magic, LEDGER_MAGIC, 8) == 0 ||
                                         memcmp(magic, MAILBOX_MAGIC, 8) == 0 ||
                                         memcmp(magic, BELL_MAGIC, 8) == 0 ||
                                         memcmp(magic, unfilled, 8) == 0 ||
                                         memcmp(magic, SCRIPTS_MAGIC, 8) == 0 ||
                                         memcmp(magic, "{\"snapsh", 8) == 0 ||
                                         (is_flight(name) && begins_flight(magic))));
    }
    (void)close(fd);
    return ours;
}

static long sweep(int directory, bool clear);

/* One of the two runs of an earlier `--try`; it is removed if it contains nothing else. */
static bool remove_run(int directory, const char *name)
{
    const bool named = strcmp(name, RUNDIR_PLAIN) == 0 ||
                       strncmp(name, RUNDIR_WITH, strlen(RUNDIR_WITH)) == 0;
    const int fd =
        named ? openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    bool ours;

    if (fd < 0)
        return false;
    ours = faccessat(fd, LEDGER_RUN_NAME, F_OK, 0) == 0 && sweep(fd, true) == 0;
    (void)close(fd);
    return ours && unlinkat(directory, name, AT_REMOVEDIR) == 0;
}

static bool remove_ours(int directory, const char *name)
{
    return is_ours(directory, name) ? unlinkat(directory, name, 0) == 0
                                    : remove_run(directory, name);
}

/* Counts the entries. With `clear` it removes the files of tare and counts only the others. */
static long sweep(int directory, bool clear)
{
    const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    long count = 0;

    if (!list) {
        if (fd >= 0)
            (void)close(fd);
        return -1;
    }
    while ((entry = readdir(list)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!clear || !remove_ours(directory, entry->d_name))
            count++;
    }
    (void)closedir(list);
    return count;
}

/* ---- the directory ---- */

static void default_name(char *name, size_t size, const char *program, unsigned attempt)
{
    char plain[48];
    size_t length = 0;

    for (; *program && length + 1 < sizeof(plain); program++)
        plain[length++] = isalnum((unsigned char)*program) || strchr("._-", *program) ? *program
                                                                                      : '_';
    plain[length] = 0;
    if (attempt == 0)
        (void)snprintf(name, size, "tare-run-%s-%d", plain, (int)getpid());
    else
        (void)snprintf(name, size, "tare-run-%s-%d-%u", plain, (int)getpid(), attempt + 1);
}

static int make_default(struct rundir *dir, char *name, size_t size, const char *program,
                        struct why *why)
{
    int made = -1;

    errno = EEXIST;
    for (unsigned attempt = 0; made != 0 && errno == EEXIST && attempt < 1000; attempt++) {
        default_name(name, size, program, attempt);
        made = mkdir(name, 0700);
    }
    if (made != 0)
        return fail(why, ERR_IO, "no directory for the run can be made here (choose one with -o): %s",
                    strerror(errno));
    dir->made = true;
    dir->fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return dir->fd < 0 ? fail(why, ERR_IO, "%s: %s", name, strerror(errno)) : 0;
}

static int make_named(struct rundir *dir, const char *name, struct why *why)
{
    dir->made = mkdir(name, 0700) == 0;
    if (!dir->made && errno != EEXIST)
        return fail(why, ERR_IO, "%s cannot be made: %s", name, strerror(errno));
    dir->fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir->fd < 0 && errno == ENOTDIR)
        return fail(why, ERR_USAGE, "%s is not a directory; choose another with -o", name);
    return dir->fd < 0 ? fail(why, ERR_IO, "%s: %s", name, strerror(errno)) : 0;
}

/* Another user who may write here could cut our files short, which ends the processes that have them
 * mapped. On some file systems a directory that we just made belongs to another user; that is not the
 * user's fault. */
static int check_owner(const struct rundir *dir, const char *name, struct why *why)
{
    struct stat info;

    if (fstat(dir->fd, &info) != 0)
        return fail(why, ERR_IO, "%s cannot be read: %s", name, strerror(errno));
    if (owned_directory(&info))
        return 0;
    if (!owned_by_us(&info))
        return fail(why, dir->made ? ERR_IO : ERR_USAGE,
                    "%s belongs to another user (id %u), who could harm the program through it; "
                    "choose another with -o",
                    name, (unsigned)info.st_uid);
    return fail(why, dir->made ? ERR_IO : ERR_USAGE,
                "%s can be written by other users; choose another with -o, or run: chmod go-w %s",
                name, name);
}

/* Locks the directory, and checks that only we can write in it and that no other run is in it. */
static int claim(struct rundir *dir, const char *name, bool force, struct why *why)
{
    int err = check_owner(dir, name, why);
    long others;

    if (err)
        return err;
    if (flock(dir->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return fail(why, ERR_USAGE, "%s is in use by another run; choose another with -o", name);
    others = sweep(dir->fd, force);
    if (others < 0)
        return fail(why, ERR_IO, "%s cannot be read: %s", name, strerror(errno));
    if (others > 0 && !force)
        return fail(why, ERR_USAGE,
                    "%s is not empty; -f removes what an earlier run of tare left there", name);
    /* Sets our mode only on a directory without other files: `-f -o ~` must not change the home directory. */
    if (others == 0)
        (void)fchmod(dir->fd, 0700);
    return 0;
}

static int find_path(struct rundir *dir, const char *name, struct why *why)
{
    char full[PATH_MAX];
    struct stat open, named;

    if (!realpath(name, full) || fstat(dir->fd, &open) != 0 || lstat(full, &named) != 0)
        return fail(why, ERR_IO, "%s: %s", name, strerror(errno));
    if (open.st_dev != named.st_dev || open.st_ino != named.st_ino)
        return fail(why, ERR_IO, "%s was replaced while it was opened", name);
    memcpy(dir->path, full, sizeof(dir->path));
    return 0;
}

/* ---- its content ---- */

/* The command as one line, with secrets masked. */
static void join(char *text, size_t size, char **command)
{
    size_t length = 0;

    for (; *command && length + 1 < size; command++) {
        const size_t left = size - 1 - length, whole = strlen(*command) + 1;
        const size_t part = whole < left ? whole : left;

        memcpy(text + length, *command, part);
        length += part;
    }
    (void)secret_command(text, length);
}

static int fill(struct rundir *dir, const struct rundir_request *request, struct why *why)
{
    char command[COMMAND_MAX];
    struct bell first = {.doctor = (uint32_t)getpid(),
                         .observe = request->observe,
                         .no_snapshot = request->no_snapshot,
                         .max_pause = request->max_pause,
                         .rate = request->rate,
                         .filters = confinement_read()};
    struct ledger_identity identity = {.role = ROLE_RUN,
                                       .pid = first.doctor,
                                       .parent_pid = (uint32_t)getppid(),
                                       .rate = first.rate,
                                       .program = request->program,
                                       .command = command};
    int err;

    if (getrandom(&first.run, sizeof(first.run), GRND_NONBLOCK) != sizeof(first.run))
        first.run = mailbox_clock() ^ (uint64_t)first.doctor << 40;
    first.heartbeat = mailbox_clock();
    identity.run = first.run;
    join(command, sizeof(command), request->command);
    dir->bell = bell_create(dir->fd, &first, why);
    if (!dir->bell)
        return ERR_IO;
    err = ledger_create(&dir->ledger, dir->path, LEDGER_RUN_NAME, &identity, why);
    if (!err && (!guard_add(dir->bell, MAILBOX_SIZE) ||
                 !guard_add(dir->ledger.head, (size_t)dir->ledger.size)))
        err = fail(why, ERR_NOMEM, "no memory for the directory of the run");
    return err;
}

int rundir_open(struct rundir *out, const struct rundir_request *request, struct why *why)
{
    char chosen[128];
    const char *name = request->directory ? request->directory : chosen;
    int err;

    *out = (struct rundir){.fd = -1};
    err = request->directory ? make_named(out, request->directory, why)
                             : make_default(out, chosen, sizeof(chosen), request->program, why);
    if (!err)
        err = claim(out, name, request->force, why);
    if (!err)
        err = find_path(out, name, why);
    if (!err && !request->parent) {
        err = fill(out, request, why);
        if (err) {
            rundir_discard(out);
            return err;
        }
    }
    if (err)
        rundir_close(out);
    return err;
}

void rundir_note(struct rundir *dir, uint64_t sample, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (!dir->ledger.head)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ledger_note(&dir->ledger, sample, text);
}

void rundir_close(struct rundir *dir)
{
    guard_remove(dir->bell);
    guard_remove(dir->ledger.head);
    bell_close(dir->bell);
    dir->bell = NULL;
    ledger_close(&dir->ledger);
    if (dir->fd >= 0)
        (void)close(dir->fd);
    dir->fd = -1;
}

void rundir_discard(struct rundir *dir)
{
    if (dir->fd >= 0)
        (void)sweep(dir->fd, true);
    if (dir->made && dir->path[0])
        (void)rmdir(dir->path);
    rundir_close(dir);
}
