/* export_junit.c - findings as test results: a suite per process, a case per finding.
 *
 * A leak is a failure; an undecided finding is skipped; anything else passes, with its sentences in the
 * output of the case. A process without findings is one case that passes or is skipped.
 */
#include <string.h>

#include "base/text.h"
#include "doctor/say/words.h"
#include "report/export/export.h"
#include "report/finding_page.h"

/* XML 1.0 allows only three control characters, even as references; text_safe has replaced the others. */
static void put_escaped(struct text *to, const char *from)
{
    struct text safe = {0};

    text_safe(&safe, from ? from : "", from ? strlen(from) : 0);
    for (const char *at = text_string(&safe); *at; at++)
        switch (*at) {
        case '&':
            text_put(to, "&amp;");
            break;
        case '<':
            text_put(to, "&lt;");
            break;
        case '>':
            text_put(to, "&gt;");
            break;
        case '"':
            text_put(to, "&quot;");
            break;
        default:
            text_add(to, at, 1);
        }
    to->failed |= safe.failed;
    text_free(&safe);
}

static void put_attribute(struct text *to, const char *name, const char *value)
{
    text_print(to, " %s=\"", name);
    put_escaped(to, value);
    text_put(to, "\"");
}

static void put_line(struct text *to, const char *label, const char *text)
{
    if (!text)
        return;
    put_escaped(to, label);
    put_escaped(to, text);
    text_put(to, "\n");
}

static bool is_failure(const struct finding *finding)
{
    return !finding->note && finding_leaks(finding);
}

static void put_fix(struct text *to, const struct remedy *remedy)
{
    struct text text = {0};

    words_fix(&text, remedy);
    put_line(to, "fix: ", text.length ? text_string(&text) : NULL);
    text.length = 0;
    for (const char *at = remedy->code; at && *at;) { /* line by line: each is escaped alone */
        const size_t length = strcspn(at, "\n");

        text.length = 0;
        text_add(&text, at, length);
        put_line(to, "    ", text_string(&text));
        at += length + (at[length] == '\n');
    }
    put_line(to, "    ", remedy->setting);
    text_free(&text);
}

static void put_body(struct text *to, const struct process_report *report, const struct finding *finding,
                     struct arena *arena)
{
    char forecast[PAGE_TEXT];

    put_line(to, "", finding->summary);
    for (size_t i = 0; i < finding->evidence_count; i++)
        put_line(to, "", finding->evidence[i]);
    if (finding->stored_at)
        put_line(to, "stored at ", words_place(arena, finding->stored_at));
    for (size_t i = 0; i < finding->allocated_count; i++)
        put_line(to, i == 0 ? "made at " : "called from ",
                 words_place(arena, &finding->allocated_at[i]));
    put_line(to, "held by ", finding->held_by);
    if (is_failure(finding) && page_forecast_text(report, forecast, sizeof(forecast)))
        put_line(to, "forecast: ", forecast);
    put_fix(to, &finding->remedy);
}

static bool is_skipped(const struct finding *finding)
{
    return !finding->note && finding->kind == KIND_undecided;
}

static void begin_case(struct text *to, const struct process_report *report, const char *name)
{
    text_put(to, "    <testcase");
    put_attribute(to, "classname",
                  report->program && report->program[0] ? report->program : "process");
    put_attribute(to, "name", name);
    text_print(to, " time=\"%.3f\">\n", report->seconds);
}

static void put_case(struct text *to, const struct process_report *report,
                     const struct finding *finding, struct arena *arena)
{
    const struct place *where = words_where(finding);
    struct text name = {0};

    text_print(&name, "%u %s%s%s", finding->number, kind_name(finding->kind), where ? " at " : "",
               where ? words_place(arena, where) : "");
    begin_case(to, report, text_string(&name));
    text_free(&name);
    if (is_skipped(finding)) {
        text_put(to, "      <skipped");
        put_attribute(to, "message", finding->summary);
        text_put(to, "/>\n");
    } else if (is_failure(finding)) {
        text_put(to, "      <failure");
        put_attribute(to, "message", finding->summary);
        put_attribute(to, "type", kind_name(finding->kind));
        text_put(to, ">");
        put_body(to, report, finding, arena);
        text_put(to, "</failure>\n");
    } else {
        text_put(to, "      <system-out>");
        put_body(to, report, finding, arena);
        text_put(to, "</system-out>\n");
    }
    text_put(to, "    </testcase>\n");
}

static void put_only_case(struct text *to, const struct process_report *report)
{
    begin_case(to, report, "memory");
    text_put(to, report->verdict == KIND_undecided ? "      <skipped" : "      <system-out>");
    if (report->verdict == KIND_undecided) {
        put_attribute(to, "message", report->answer);
        text_put(to, "/>\n");
    } else {
        put_escaped(to, report->answer);
        text_put(to, "</system-out>\n");
    }
    text_put(to, "    </testcase>\n");
}

static void put_suite(struct text *to, const struct process_report *report, struct arena *arena)
{
    size_t failures = 0, skipped = 0, tests = report->finding_count;
    struct text name = {0};

    for (size_t i = 0; i < report->finding_count; i++) {
        failures += is_failure(&report->findings[i]);
        skipped += is_skipped(&report->findings[i]);
    }
    if (tests == 0) {
        tests = 1;
        skipped = report->verdict == KIND_undecided;
    }
    text_print(&name, "%s (process %u)", report->program ? report->program : "", report->pid);
    text_put(to, "  <testsuite");
    put_attribute(to, "name", text_string(&name));
    text_print(to, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
               tests, failures, skipped, report->seconds);
    for (size_t i = 0; i < report->finding_count; i++)
        put_case(to, report, &report->findings[i], arena);
    if (report->finding_count == 0)
        put_only_case(to, report);
    text_put(to, "  </testsuite>\n");
    to->failed |= name.failed;
    text_free(&name);
}

int export_junit(const struct export *e, struct why *why)
{
    const struct diagnosis *d = e->diagnosis;
    struct text out = {0};
    bool failed;

    text_put(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tare\">\n");
    for (size_t i = 0; i < d->process_count; i++)
        if (!d->processes[i].launcher)
            put_suite(&out, &d->processes[i], d->arena);
    text_put(&out, "</testsuites>\n");
    (void)fputs(text_string(&out), e->out);
    failed = out.failed;
    text_free(&out);
    return failed ? fail(why, ERR_NOMEM, "no memory for the findings") : 0;
}
