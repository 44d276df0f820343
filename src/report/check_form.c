/* check_form.c - see check_form.h. */
#include "report/check_form.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "report/finding_page.h"
#include "report/load.h"
#include "report/json/json_writer.h"
#include "report/page.h"

#define ALLOW_MAX (1u << 20) /* bytes of a file of suppressions */

static const char *label_of(const struct check_line *line)
{
    if (line->outcome == CHECK_FAILED)
        return "Failed";
    if (line->outcome == CHECK_UNKNOWN)
        return "Not known";
    return line->about == CHECK_ALLOWED       ? "Allowed"
           : line->about == CHECK_SUPPRESSION ? "Note"
                                              : "Kept";
}

/* The finding that a line is about; NULL: the line is not about a finding. */
static const struct finding *finding_of(const struct diagnosis *d, const struct check_line *line)
{
    for (size_t i = 0; i < d->process_count && line->finding > 0; i++)
        for (size_t k = 0; k < d->processes[i].finding_count; k++)
            if (d->processes[i].pid == line->pid && d->processes[i].findings[k].id == line->finding)
                return &d->processes[i].findings[k];
    return NULL;
}

/* What to change about the finding of a line; NULL: the line is not about one. */
static const struct remedy *remedy_of(const struct diagnosis *d, const struct check_line *line)
{
    const struct finding *finding = finding_of(d, line);

    return finding ? &finding->remedy : NULL;
}

static void put_text(const struct check *check, const struct diagnosis *d, bool color, FILE *out)
{
    static const struct {
        enum check_outcome outcome;
        enum tone tone;
    } tones[] = {{CHECK_PASSED, TONE_GOOD}, {CHECK_FAILED, TONE_BAD}, {CHECK_UNKNOWN, TONE_UNSURE}};
    enum tone tone = TONE_PLAIN;
    struct page page;

    page_init(&page, out, color);
    for (size_t i = 0; i < sizeof(tones) / sizeof(tones[0]); i++)
        if (tones[i].outcome == check->outcome)
            tone = tones[i].tone;
    page_tone(&page, tone, check->answer);
    (void)fputc('\n', out);
    for (size_t i = 0; i < check->count; i++) {
        const struct check_line *line = &check->lines[i];

        if (line->pid > 0 && d->process_count > 1)
            page_print(&page, label_of(line), "process %u: %s", line->pid, line->text);
        else
            page_line(&page, label_of(line), line->text);
        if (line->outcome == CHECK_FAILED && remedy_of(d, line))
            page_remedy(&page, remedy_of(d, line));
    }
}

static void put_json(const struct check *check, const struct diagnosis *d, FILE *out)
{
    struct json json;

    json_init(&json, out);
    json_object(&json, NULL);
    json_count(&json, "schema", 1);
    json_text(&json, "outcome", check_name(check->outcome));
    json_text(&json, "answer", check->answer);
    json_list(&json, "lines");
    for (size_t i = 0; i < check->count; i++) {
        const struct check_line *line = &check->lines[i];
        const struct finding *finding = finding_of(d, line);
        const struct remedy *remedy = finding ? &finding->remedy : NULL;

        json_object(&json, NULL);
        json_text(&json, "outcome", check_name(line->outcome));
        json_text(&json, "about", check_about_name(line->about));
        json_count_or_null(&json, "pid", line->pid);
        json_count_or_null(&json, "finding", line->finding);
        json_count_or_null(&json, "number", finding ? finding->number : 0);
        json_text(&json, "text", line->text);
        json_text(&json, "fix", remedy ? remedy->text : NULL);
        json_text(&json, "code", remedy ? remedy->code : NULL);
        json_text(&json, "where", remedy ? fix_where_name(remedy->span.where) : NULL);
        json_text(&json, "file", remedy && remedy->span.where ? remedy->file : NULL);
        json_count_or_null(&json, "line", remedy ? remedy->span.first : 0);
        json_count_or_null(&json, "last_line", remedy ? remedy->span.last : 0);
        json_end(&json, '}');
    }
    json_end(&json, ']');
    json_end(&json, '}');
    json_fini(&json);
}

static int read_allow(struct allow *allow, const char *name, struct arena *arena, struct why *why)
{
    FILE *file = fopen(name, "re");
    char *text = arena_take(arena, 1, ALLOW_MAX);
    size_t length = 0;
    int err = 0;

    if (!file)
        return fail(why, ERR_IO, "%s: %s", name, strerror(errno));
    if (!text)
        err = fail(why, ERR_NOMEM, "%s: no memory to read it", name);
    else
        length = fread(text, 1, ALLOW_MAX, file);
    if (!err && ferror(file))
        err = fail(why, ERR_IO, "%s: %s", name, strerror(errno));
    if (!err && length == ALLOW_MAX)
        err = fail(why, ERR_USAGE, "%s: a file of suppressions may have at most 1 MB", name);
    (void)fclose(file);
    return err ? err : allow_parse(allow, name, text, length, arena, why);
}

int check_path(const char *path, const struct check_limits *limits, const char *allow_file,
               const struct report_options *options, FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct check_limits full = *limits;
    struct allow allow = {0};
    struct check check = {0};
    const struct report_options all = {.since = options->since};
    int err = report_diagnose_as(&diagnosis, path, &all, why);

    if (!err && allow_file) {
        err = read_allow(&allow, allow_file, diagnosis.arena, why);
        full.allow = &allow;
    }
    if (!err)
        err = check_run(&check, &diagnosis, &full, why);
    if (!err && options->json)
        put_json(&check, &diagnosis, out);
    else if (!err)
        put_text(&check, &diagnosis, options->color, out);
    diagnosis_free(&diagnosis);
    return err ? err : (int)check.outcome;
}
