/* export.c - see export.h. */
#include "report/export/export.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "doctor/verbs/redact.h"
#include "ledger/model.h"
#include "report/load.h"

static const struct format {
    const char *name;
    bool stacks, binary;
    export_fn *write;
} formats[] = {
#define FORMAT(name, stacks, binary, says) {#name, stacks, binary, export_##name},
#include "report/export/formats.def"
#undef FORMAT
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const char *export_formats(char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < FORMATS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", formats[i].name);
    return text;
}

static const struct format *find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (name && strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static int find_value(const char *name, enum profile_value *out, struct why *why)
{
    const int value = name ? profile_value_called(name) : (int)PROFILE_live_bytes;

    if (value < 0)
        return fail(why, ERR_USAGE,
                    "unknown value \"%s\"; choose one of: %s, %s, %s, %s, %s", name,
                    profile_value_name(0), profile_value_name(1), profile_value_name(2),
                    profile_value_name(3), profile_value_name(4));
    *out = (enum profile_value)value;
    return 0;
}

static int open_output(const struct export_request *request, const struct format *format,
                       FILE **out, struct why *why)
{
    *out = stdout;
    if (request->output && strcmp(request->output, "-") != 0) {
        *out = fopen(request->output, "we");
        return *out ? 0 : fail(why, ERR_IO, "%s: %s", request->output, strerror(errno));
    }
    if (format->binary && isatty(STDOUT_FILENO))
        return fail(why, ERR_USAGE, "%s is not text; write it to a file with -o FILE",
                    format->name);
    return 0;
}

static int close_output(const struct export_request *request, FILE *out, struct why *why)
{
    const bool bad = ferror(out) != 0;

    if (out == stdout)
        return 0; /* main checks it for errors */
    if (fclose(out) == 0 && !bad)
        return 0;
    return fail(why, ERR_IO, "%s could not be written: %s", request->output, strerror(errno));
}

/* The shells and wrappers that started the program are not what anybody wants to see. */
static void drop_launchers(struct profile *profile)
{
    /* The list is in the diagnosis's arena, so it is ours to change. */
    struct profile_process *list = (struct profile_process *)(uintptr_t)profile->processes;
    size_t kept = 0;

    for (size_t i = 0; i < profile->count; i++)
        if (!list[i].report->launcher)
            list[kept++] = list[i];
    profile->count = kept;
}

int export_path(const char *path, const struct export_request *request, struct why *why)
{
    const struct format *format = find(request->format);
    struct diagnosis diagnosis = {0};
    struct profile profile = {0};
    struct run run = {0};
    struct export e = {.run = &run, .diagnosis = &diagnosis, .profile = &profile};
    char names[256];
    int err = find_value(request->value, &e.value, why);

    if (!err && !format)
        err = fail(why, ERR_USAGE, "unknown format \"%s\"; choose one of: %s",
                   request->format ? request->format : "", export_formats(names, sizeof(names)));
    if (!err)
        err = report_load_plain(&run, path, why);
    if (!err)
        err = diagnose(&diagnosis, &run, why);
    if (!err && format->stacks)
        err = profile_make(&profile, &run, &diagnosis, why);
    drop_launchers(&profile);
    if (!err && request->redact)
        err = redact_profile(&profile, diagnosis.arena, why);
    if (!err && request->redact)
        err = redact_diagnosis(&diagnosis, why);
    if (!err)
        err = open_output(request, format, &e.out, why);
    if (!err) {
        const int bad = format->write(&e, why);

        err = close_output(request, e.out, why);
        err = bad ? bad : err;
    }
    diagnosis_free(&diagnosis);
    run_free(&run);
    return err;
}
