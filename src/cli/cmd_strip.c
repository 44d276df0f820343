/* cmd_strip.c - `tare strip`: a small copy of a run, to be sent to someone.
 *
 * The copy has the ledgers without their unused space, and the report, which is made here because this
 * machine has the programs and their sources.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemap.h"
#include "cli/cli.h"
#include "doctor/verbs/strip.h"
#include "ledger/layout.h"
#include "report/report.h"

struct strip {
    const char *from, *to;
    int source, target; /* directories */
    bool redact;
    uint64_t before, after; /* bytes */
    unsigned ledgers;
};

static int write_file(const struct strip *strip, const char *name, const struct text *text,
                      struct why *why)
{
    const int fd =
        openat(strip->target, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    size_t done = 0;
    ssize_t part = 0;

    if (fd < 0)
        return fail(why, ERR_IO, "%s/%s: %s", strip->to, name, strerror(errno));
    while (done < text->length && (part = write(fd, text->bytes + done, text->length - done)) > 0)
        done += (size_t)part;
    if (close(fd) != 0 || done < text->length)
        return fail(why, ERR_IO, "%s/%s: %s", strip->to, name, strerror(errno));
    return 0;
}

static int strip_one(struct strip *strip, const char *name, struct why *why)
{
    struct filemap map = {0};
    struct text small = {0};
    int err = filemap_open(&map, strip->source, name, why);

    if (!err) {
        err = strip_ledger(&small, map.bytes, map.size, strip->redact, why);
        if (err == ERR_ABSENT) /* its writer ended before it wrote anything */
            err = 0;
        else if (!err)
            err = write_file(strip, name, &small, why);
        strip->before += map.size;
        strip->after += small.length;
        strip->ledgers += small.length > 0;
    }
    filemap_close(&map);
    text_free(&small);
    return err;
}

static bool is_ledger(const char *name)
{
    const size_t length = strlen(name), suffix = strlen(LEDGER_SUFFIX);

    return length > suffix && strcmp(name + length - suffix, LEDGER_SUFFIX) == 0;
}

static int strip_all(struct strip *strip, struct why *why)
{
    const int again = openat(strip->source, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again >= 0 ? fdopendir(again) : NULL;
    const struct dirent *entry;
    int err = list ? 0 : fail(why, ERR_IO, "%s: %s", strip->from, strerror(errno));

    while (!err && (entry = readdir(list)) != NULL)
        if (is_ledger(entry->d_name))
            err = strip_one(strip, entry->d_name, why);
    if (list)
        (void)closedir(list);
    if (!err && strip->ledgers == 0)
        err = fail(why, ERR_FORMAT, "%s has no ledger", strip->from);
    return err;
}

/* The report is made here, because the receiver has neither the programs nor their sources. */
static int write_report(const struct strip *strip, const char *name, bool json, struct why *why)
{
    const struct report_options options = {.json = json, .redact = strip->redact};
    const int fd =
        openat(strip->target, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    int verdict;

    if (!out)
        return fail(why, ERR_IO, "%s/%s: %s", strip->to, name, strerror(errno));
    verdict = report_path(strip->from, &options, out, why);
    if (fclose(out) != 0 && verdict >= 0)
        return fail(why, ERR_IO, "%s/%s: %s", strip->to, name, strerror(errno));
    return verdict < 0 ? verdict : 0;
}

static int open_both(struct strip *strip, struct why *why)
{
    strip->source = open(strip->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (strip->source < 0)
        return fail(why, ERR_IO, "%s: %s", strip->from, strerror(errno));
    if (mkdir(strip->to, 0700) != 0)
        return errno == EEXIST
                   ? fail(why, ERR_USAGE, "%s already exists; choose another with -o", strip->to)
                   : fail(why, ERR_IO, "%s: %s", strip->to, strerror(errno));
    strip->target = open(strip->to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return strip->target < 0 ? fail(why, ERR_IO, "%s: %s", strip->to, strerror(errno)) : 0;
}

static int run(struct strip *strip, struct why *why)
{
    int err = open_both(strip, why);

    if (!err)
        err = strip_all(strip, why);
    if (!err)
        err = write_report(strip, "report.txt", false, why);
    if (!err)
        err = write_report(strip, "report.json", true, why);
    if (strip->source >= 0)
        (void)close(strip->source);
    if (strip->target >= 0)
        (void)close(strip->target);
    return err;
}

int cmd_strip(int argc, char **argv)
{
    struct strip strip = {.source = -1, .target = -1};
    const struct opt opts[] = {
        {"output", "the new directory", 'o', "OUT", .text = &strip.to},
        {"redact", "replace names, paths and source by hashes", .flag = &strip.redact},
        {0},
    };
    const int first = opt_parse(opts, argc, argv);
    char before[TEXT_SIZE_MAX], after[TEXT_SIZE_MAX];
    struct why why = {""};
    int err;

    if (first < 0 || argc - first != 1 || !strip.to)
        return cli_usage("tare strip [--redact] -o OUT DIR", opts);
    strip.from = argv[first];
    err = run(&strip, &why);
    if (err)
        return speech_fail(err, &why);
    (void)speech_print("%s: %u ledgers, %s instead of %s", strip.to, strip.ledgers,
                    text_size(after, strip.after), text_size(before, strip.before));
    return EXIT_CLEAN;
}
