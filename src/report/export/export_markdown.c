/* export_markdown.c - a summary for a pull request: the answer, a table, and the evidence folded.
 */
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/number.h"
#include "doctor/say/words.h"
#include "report/export/export.h"
#include "report/finding_page.h"

struct markdown {
    struct text out;
    char home[1024]; /* the working directory with a slash */
};

/* Characters with a meaning in Markdown or HTML become character references. */
static void put(struct markdown *m, const char *from)
{
    static const char special[] = "<>&|*_`[]\\#~@$";
    struct text safe = {0};

    text_safe(&safe, from ? from : "", from ? strlen(from) : 0);
    for (const char *at = text_string(&safe); *at; at++)
        if (strchr(special, *at))
            text_print(&m->out, "&#%d;", *at);
        else
            text_add(&m->out, at, 1);
    m->out.failed |= safe.failed;
    text_free(&safe);
}

static void put_place(struct markdown *m, const struct place *place, struct arena *arena)
{
    const char *words = words_place(arena, place);
    const size_t home = strlen(m->home);

    if (!words)
        return; /* no memory; the arena remembers it */
    put(m, home > 0 && strncmp(words, m->home, home) == 0 ? words + home : words);
}

static bool is_told(const struct finding *finding)
{
    return !finding->note;
}

/* One row for each finding, in however many processes it is. */
static void put_table(struct markdown *m, const struct diagnosis *d)
{
    struct numbered one;
    size_t count = 0;

    for (unsigned number = 1; number_find(d, number, &one); number++) {
        const struct finding *finding = one.finding;
        const struct place *where = words_where(finding);

        if (!is_told(finding))
            continue;
        if (count++ == 0)
            text_put(&m->out, "| | verdict | growth | where | confidence |\n|---|---|---|---|---|\n");
        text_print(&m->out, "| %u | %s | ", number, kind_name(finding->kind));
        put(m, page_has_rate(finding)
                   ? words_rate(d->arena, &finding->rate, clock_rate_name(one.report->clock))
                   : "not known");
        text_put(&m->out, " | ");
        if (where)
            put_place(m, where, d->arena);
        text_print(&m->out, " | %.0f%% |\n", finding->confidence * 100);
    }
    if (count > 0)
        text_put(&m->out, "\n");
}

static void put_line(struct markdown *m, const char *label, const char *text)
{
    if (!text)
        return;
    text_print(&m->out, "- %s", label);
    put(m, text);
    text_put(&m->out, "\n");
}

static void put_code(struct markdown *m, const char *label, const char *code)
{
    if (!code)
        return;
    text_print(&m->out, "- %s<code>", label);
    put(m, code);
    text_put(&m->out, "</code>\n");
}

/* Code to be pasted: its lines as they are. */
static void put_block(struct markdown *m, const char *code)
{
    struct text line = {0};

    text_put(&m->out, code ? "\n<pre>\n" : "");
    for (const char *at = code; at && *at;) {
        const size_t length = strcspn(at, "\n");

        line.length = 0;
        text_add(&line, at, length);
        put(m, text_string(&line));
        text_put(&m->out, "\n");
        at += length + (at[length] == '\n');
    }
    text_put(&m->out, code ? "</pre>\n\n" : "");
    text_free(&line);
}

static void put_fix(struct markdown *m, const struct remedy *remedy)
{
    struct text text = {0};

    words_fix(&text, remedy);
    put_line(m, "Fix: ", text.length ? text_string(&text) : NULL);
    put_block(m, remedy->code);
    put_code(m, "Set ", remedy->setting);
    text_free(&text);
}

static void put_details(struct markdown *m, const struct diagnosis *d, const struct numbered *one)
{
    const struct finding *finding = one->finding;
    char forecast[PAGE_TEXT];

    text_print(&m->out, "<details><summary>%u. %s: ", finding->number, kind_name(finding->kind));
    put(m, finding->summary);
    text_put(&m->out, "</summary>\n\n");
    for (size_t i = 0; i < finding->evidence_count; i++)
        put_line(m, "", finding->evidence[i]);
    if (finding->stored_at)
        put_line(m, "Stored at ", words_place(d->arena, finding->stored_at));
    for (size_t i = 0; i < finding->allocated_count; i++)
        if (i == 0 || finding->allocated_at[i].user)
            put_line(m, i == 0 ? finding->stored_at ? "Made at " : "Where: " : "Called from ",
                     words_place(d->arena, &finding->allocated_at[i]));
    for (size_t i = 0; i < finding->made_count && finding->made_count > 1; i++)
        put_line(m, i == 0 ? "Lines, the largest first: " : "",
                 words_place(d->arena, finding->made_at[i].places));
    put_line(m, "Held by ", finding->held_by);
    if (kind_status(finding->kind) == 1 && page_forecast_text(one->report, forecast, sizeof(forecast)))
        put_line(m, "Forecast: ", forecast);
    put_fix(m, &finding->remedy);
    text_put(&m->out, "\n</details>\n\n");
}

static void put_numbers(struct markdown *m, const struct diagnosis *d)
{
    char live[TEXT_SIZE_MAX], resident[TEXT_SIZE_MAX], steps[TEXT_SIZE_MAX];

    for (size_t i = 0; i < d->process_count; i++) {
        const struct process_report *report = &d->processes[i];

        if (report->launcher)
            continue;
        text_print(&m->out, "- process %u, ", report->pid);
        put(m, report->program);
        text_print(&m->out, ": %s; %s %s of the clock %s; %s live, peak resident %s\n",
                   kind_name(report->verdict), text_count(steps, report->clock_count),
                   clock_ticks_name(report->clock, report->clock_count),
                   clock_name_shown(report->clock), text_size(live, report->live_bytes),
                   text_size(resident, report->resident_peak));
    }
}

int export_markdown(const struct export *e, struct why *why)
{
    const struct diagnosis *d = e->diagnosis;
    struct markdown m = {0};
    struct numbered one;
    bool failed;

    if (getcwd(m.home, sizeof(m.home) - 1) && m.home[1])
        strcat(m.home, "/");
    text_put(&m.out, "### Does it leak? ");
    put(&m, d->answer);
    text_put(&m.out, "\n\n");
    put_table(&m, d);
    for (unsigned number = 1; number_find(d, number, &one); number++)
        if (is_told(one.finding))
            put_details(&m, d, &one);
    put_numbers(&m, d);
    for (size_t i = 0; i < d->note_count; i++)
        put_line(&m, "", d->notes[i]);
    (void)fputs(text_string(&m.out), e->out);
    failed = m.out.failed;
    text_free(&m.out);
    return failed ? fail(why, ERR_NOMEM, "no memory for the summary") : 0;
}
