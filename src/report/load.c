/* load.c - see load.h. */
#include "report/load.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/tried.h"
#include "ledger/model.h"

/* ERR_IO if the path does not exist, ERR_FORMAT if the directory has no ledgers. */
static int load_refused(int err, const char *path)
{
    if (err != ERR_ABSENT)
        return err;
    return access(path, F_OK) == 0 ? ERR_FORMAT : ERR_IO;
}

int report_load(struct run *run, const char *path, struct why *why)
{
    return load_refused(run_load(run, path, why), path);
}

int report_load_brief(struct run *run, const char *path, struct why *why)
{
    return load_refused(run_load_brief(run, path, why), path);
}

int report_load_plain(struct run *run, const char *path, struct why *why)
{
    char plain[PATH_MAX];
    const int length = snprintf(plain, sizeof(plain), "%s/plain", path);
    const bool tried = length < (int)sizeof(plain) && access(plain, F_OK) == 0;

    return report_load(run, tried ? plain : path, why);
}

/* ---- a remedy that was tried: two runs in one directory ---- */

/* The remedy's name, if the directory has the runs "plain" and "with-REMEDY". */
static bool find_tried(const char *path, char *remedy, size_t size)
{
    char plain[PATH_MAX];
    const struct dirent *entry;
    bool found = false;
    DIR *list;

    if (snprintf(plain, sizeof(plain), "%s/plain", path) >= (int)sizeof(plain) ||
        access(plain, F_OK) != 0)
        return false;
    list = opendir(path);
    while (list && !found && (entry = readdir(list)) != NULL)
        if (strncmp(entry->d_name, "with-", 5) == 0)
            found = snprintf(remedy, size, "%s", entry->d_name + 5) < (int)size;
    if (list)
        (void)closedir(list);
    return found;
}

static int diagnose_path(struct diagnosis *out, const char *path,
                         const struct report_options *options, struct why *why)
{
    struct run run = {0};
    int err = report_load_brief(&run, path, why);

    run.started_here = options->started_here;
    if (!err)
        run_since(&run, options->since);
    if (!err)
        err = diagnose(out, &run, why);
    run_free(&run);
    return err;
}

static int diagnose_tried(struct diagnosis *out, const char *path, const char *remedy,
                          const struct report_options *options, struct why *why)
{
    struct diagnosis with = {0};
    char part[PATH_MAX];
    int err;

    (void)snprintf(part, sizeof(part), "%s/plain", path);
    err = diagnose_path(out, part, options, why);
    if (snprintf(part, sizeof(part), "%s/with-%s", path, remedy) >= (int)sizeof(part))
        err = fail(why, ERR_IO, "%s: the path is too long", path);
    if (!err)
        err = diagnose_path(&with, part, options, why);
    if (!err)
        err = tried_compare(out, &with, remedy, why);
    diagnosis_free(&with);
    return err;
}

int report_diagnose_as(struct diagnosis *out, const char *path,
                       const struct report_options *options, struct why *why)
{
    char remedy[256];

    return !options->since && find_tried(path, remedy, sizeof(remedy))
               ? diagnose_tried(out, path, remedy, options, why)
               : diagnose_path(out, path, options, why);
}

int report_diagnose(struct diagnosis *out, const char *path, struct why *why)
{
    const struct report_options options = {0};

    return report_diagnose_as(out, path, &options, why);
}
