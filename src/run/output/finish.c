/* finish.c - see finish.h. */
#include "run/output/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/output/speech.h"
#include "run/rundir/rundir.h"
#include "doctor/facts/diagnosis.h"
#include "report/load.h"
#include "report/report.h"
#include "report/view.h"

/* A device or a pipe is written to directly; a file is replaced when the new one is whole. */
static bool is_special(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

bool finish_check(const char *json, const char *what)
{
    struct stat info;
    char folder[PATH_MAX];
    char *slash;

    if (strcmp(json, "-") == 0)
        return true;
    if (stat(json, &info) == 0 && S_ISDIR(info.st_mode)) {
        speech_say("%s is a directory, so there will be no %s", json, what);
        return false;
    }
    if (is_special(json))
        return true;
    (void)snprintf(folder, sizeof(folder), "%s", json);
    slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    if (access(slash ? folder : ".", W_OK | X_OK) == 0)
        return true;
    speech_say("%s cannot be written, so there will be no %s: %s", json, what,
            strerror(errno));
    return false;
}

enum form { FORM_TEXT, FORM_JSON, FORM_PAGE };

/* A run; it is judged once, when its first form is written. */
struct judged {
    const struct finish *finish;
    struct diagnosis diagnosis;
    bool tried;
    int failed; /* exit code of an error that was reported; 0: none */
};

static struct report_options options_of(const struct finish *finish, enum form form, const FILE *out)
{
    return (struct report_options){.json = form == FORM_JSON,
                                   .color = out == stderr && speech_color(STDERR_FILENO),
                                   .verbose = finish->verbose,
                                   .redact = finish->redact,
                                   .started_here = finish->started_here};
}

static int write_report(struct judged *judged, enum form form, FILE *out)
{
    const struct finish *finish = judged->finish;
    const struct report_options options = options_of(finish, form, out);
    struct why why = {""};
    int status = 0;

    if (!judged->tried) {
        judged->tried = true;
        status = report_diagnose_as(&judged->diagnosis, finish->directory, &options, &why);
        judged->failed = status < 0 ? speech_fail(status, &why) : 0;
    }
    if (judged->failed)
        return judged->failed;
    status = form == FORM_PAGE
                 ? view_judged(finish->directory, &judged->diagnosis, &options, out, &why)
                 : report_write(&judged->diagnosis, &options, out, &why);
    return status < 0 ? speech_fail(status, &why) : status;
}

static int cannot_write(const char *path, int error)
{
    speech_say("%s could not be written: %s", path, strerror(error));
    return EXIT_IO;
}

/* Beside the final file under another name, then renamed over it. `first`: a line before it all,
 * or NULL. */
static int replace_file(struct judged *judged, enum form form, const char *path,
                        const char *first, mode_t mode)
{
    char temporary[PATH_MAX];
    FILE *out = NULL;
    int fd, code;

    if (snprintf(temporary, sizeof(temporary), "%s.%d.new", path, (int)getpid()) >=
        (int)sizeof(temporary))
        return cannot_write(path, ENAMETOOLONG);
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0)
        out = fdopen(fd, "w");
    if (!out)
        return cannot_write(path, errno);
    if (first)
        (void)fprintf(out, "%s\n\n", first);
    code = write_report(judged, form, out);
    if (fclose(out) != 0 || (code < EXIT_BAD_LEDGER && rename(temporary, path) != 0)) {
        code = cannot_write(path, errno);
    }
    if (code >= EXIT_BAD_LEDGER)
        (void)unlink(temporary);
    return code;
}

static int write_file(struct judged *judged, enum form form, const char *path)
{
    FILE *out;
    int code;

    if (strcmp(path, "-") == 0)
        return write_report(judged, form, stdout);
    if (!is_special(path))
        return replace_file(judged, form, path, NULL, 0666);
    out = fopen(path, "we");
    if (!out)
        return cannot_write(path, errno);
    code = write_report(judged, form, out);
    return fclose(out) != 0 ? cannot_write(path, errno) : code;
}

int finish_page(const char *run, const char *path, bool redact)
{
    const struct finish finish = {.directory = run, .redact = redact};
    struct judged judged = {.finish = &finish};
    const int code = write_file(&judged, FORM_PAGE, path);

    diagnosis_free(&judged.diagnosis);
    return code;
}

static int verdict_only(struct judged *judged)
{
    FILE *nowhere = fopen("/dev/null", "we");
    int code;

    if (!nowhere)
        return cannot_write("/dev/null", errno);
    code = write_report(judged, FORM_TEXT, nowhere);
    (void)fclose(nowhere);
    return code;
}

/* The files come first: if the reader of the text stops reading, this process ends. The page comes before the
 * other files, because it needs the names that redacting replaces. */
int finish_run(const struct finish *finish)
{
    struct judged judged = {.finish = finish};
    int code = EXIT_CLEAN, second = EXIT_CLEAN, third = EXIT_CLEAN;

    if (finish->html)
        third = write_file(&judged, FORM_PAGE, finish->html);
    if (finish->json)
        second = write_file(&judged, FORM_JSON, finish->json);
    if (finish->report)
        code = write_report(&judged, FORM_TEXT, stderr);
    if (!finish->report && !finish->json && !finish->html && finish->verdict)
        code = verdict_only(&judged);
    diagnosis_free(&judged.diagnosis);
    if (third > second)
        second = third;
    return second > code ? second : code;
}

static int write_flight(struct judged *judged, const char *why)
{
    const char *directory = judged->finish->directory;
    char path[PATH_MAX + 16], first[512];
    int code;

    (void)snprintf(first, sizeof(first), RUNDIR_FLIGHT_MAGIC "flight recorder: %s", why);
    (void)snprintf(path, sizeof(path), "%s/" RUNDIR_FLIGHT_TEXT, directory);
    code = replace_file(judged, FORM_TEXT, path, first, 0600);
    if (code >= EXIT_BAD_LEDGER)
        return code;
    (void)snprintf(path, sizeof(path), "%s/" RUNDIR_FLIGHT_JSON, directory);
    code = replace_file(judged, FORM_JSON, path, NULL, 0600);
    return code >= EXIT_BAD_LEDGER ? code : EXIT_CLEAN;
}

int finish_flight(const char *directory, const char *why)
{
    const struct finish finish = {.directory = directory, .started_here = true, .verbose = true};
    struct judged judged = {.finish = &finish};
    const int code = write_flight(&judged, why);

    diagnosis_free(&judged.diagnosis);
    return code;
}
