/* export_issue.c - a leak inside a library as a report for its authors, ready to paste into their tracker.
 *
 * It has what they need and nothing of the user's: no path, no source line, no argument, no function of the
 * program. Names are those of the library and, of the command, the program and its script.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/number.h"
#include "doctor/say/words.h"
#include "doctor/source/packages.h"
#include "ledger/model.h"
#include "report/export/export.h"
#include "report/finding_page.h"

#define VERSIONS_MAX 16

struct issue {
    struct text out;
    const struct export *e;
};

/* Harmless in a code block and outside of one. */
static void put(struct issue *issue, const char *from)
{
    struct text safe = {0};

    text_safe(&safe, from ? from : "?", from ? strlen(from) : 1);
    for (const char *at = text_string(&safe); *at; at++)
        text_add(&issue->out, *at == '`' ? "'" : at, 1);
    issue->out.failed |= safe.failed;
    text_free(&safe);
}

/* Names outside of code blocks: characters with a meaning in Markdown or HTML become references. */
static void put_name(struct issue *issue, const char *from)
{
    static const char special[] = "<>&|*_`[]\\#~@$";

    struct text safe = {0};

    text_safe(&safe, from ? from : "?", from ? strlen(from) : 1);
    for (const char *at = text_string(&safe); *at; at++)
        if (strchr(special, *at))
            text_print(&issue->out, "&#%d;", *at);
        else
            text_add(&issue->out, at, 1);
    issue->out.failed |= safe.failed;
    text_free(&safe);
}

/* ---- which findings ---- */

/* Memory that the program may still hold is none of the library's business, also if that made it. */
static bool belongs(const struct numbered *one)
{
    return !one->report->passed_over && !one->finding->note && one->finding->library;
}

/* ---- versions ---- */

static const struct model *model_of(const struct run *run, const struct process_report *report)
{
    for (size_t i = 0; i < run->process_count; i++)
        if (run->processes[i]->head.pid == report->pid &&
            run->processes[i]->head.generation == report->generation)
            return run->processes[i];
    return NULL;
}

struct versions {
    const char *names[VERSIONS_MAX]; /* "h5py 3.16.0" */
    size_t count;
};

static void add_version(struct versions *versions, struct arena *arena, const char *name, const char *version)
{
    const char *both =
        name ? arena_print(arena, "%s%s%s", name, version ? " " : "", version ? version : "") : NULL;

    for (size_t i = 0; i < versions->count; i++)
        if (!both || text_same(versions->names[i], both))
            return;
    if (both && versions->count < VERSIONS_MAX)
        versions->names[versions->count++] = both;
}

static void find_versions(struct versions *versions, const struct issue *issue, const struct finding *finding)
{
    const struct diagnosis *d = issue->e->diagnosis;

    for (size_t i = finding->native_count; i-- > 0;)
        add_version(versions, d->arena, finding->native[i].package, finding->native[i].version);
    for (size_t i = 0; i < finding->library_count && !d->redacted; i++) {
        const char *file = finding->library_at[i].file;
        const struct model_package *package = file ? packages_find(issue->e->run->own, file) : NULL;

        if (package)
            add_version(versions, d->arena, package->name, package->version);
    }
}

static void put_versions(struct issue *issue, const struct numbered *one)
{
    const struct model *model = model_of(issue->e->run, one->report);
    struct versions versions = {.count = 0};
    const char *allocator = text_base_name(one->report->allocator);

    find_versions(&versions, issue, one->finding);
    text_put(&issue->out, "**Versions**\n\n");
    for (size_t i = 0; i < versions.count; i++) {
        text_put(&issue->out, "- ");
        put_name(issue, versions.names[i]);
        text_put(&issue->out, "\n");
    }
    if (model && model->code_count > 0)
        text_print(&issue->out, "- CPython %u.%u.%u\n", model->code[0].version >> 24,
                   model->code[0].version >> 16 & 0xff, model->code[0].version >> 8 & 0xff);
    else if (model && model->script_count > 0)
        text_put(&issue->out, "- Node\n");
    text_put(&issue->out, "- Linux, x86-64");
    if (allocator && allocator[0]) {
        text_put(&issue->out, "; malloc of ");
        put_name(issue, allocator);
    }
    text_print(&issue->out, "\n- measured with tare %s\n\n", TARE_VERSION);
}

/* ---- the stack ---- */

/* What follows the folder of packages, or the name of the file. */
static const char *file_in_package(const char *file)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/node_modules/"};

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const char *at = strstr(file, folders[i]);

        if (at)
            return at + strlen(folders[i]);
    }
    return text_base_name(file);
}

static void put_native(struct issue *issue, const struct native_place *place, unsigned number)
{
    text_print(&issue->out, "#%-2u %s", number, place->beyond > 0 ? "near " : "");
    put(issue, place->function);
    if (place->file && place->line > 0) {
        text_put(&issue->out, " at ");
        put(issue, text_base_name(place->file));
        text_print(&issue->out, ":%u", place->line);
    }
    text_put(&issue->out, " in ");
    put(issue, place->module ? place->module : "code made at run time");
    if (place->offset > 0)
        text_print(&issue->out, "+0x%llx", (unsigned long long)place->offset);
    text_put(&issue->out, "\n");
}

static void put_stack(struct issue *issue, const struct finding *finding)
{
    unsigned number = 0;

    text_put(&issue->out, "**Stack of the allocation**, innermost first\n\n```\n");
    for (size_t i = 0; i < finding->native_count; i++)
        put_native(issue, &finding->native[i], number++);
    for (size_t i = 0; i < finding->library_count; i++) {
        const struct place *place = &finding->library_at[i];

        text_print(&issue->out, "#%-2u ", number++);
        put(issue, place->function);
        if (place->file) {
            text_put(&issue->out, " at ");
            put(issue, file_in_package(place->file));
            text_print(&issue->out, ":%u", place->line);
        }
        text_put(&issue->out, "\n");
    }
    text_print(&issue->out, "#%-2u (code of the program)\n```\n\n", number);
}

/* ---- how to see it ---- */

static bool is_script(const char *word, size_t length)
{
    static const char *const endings[] = {".py", ".js", ".mjs", ".cjs", ".ts"};

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t size = strlen(endings[i]);

        if (length > size && memcmp(word + length - size, endings[i], size) == 0)
            return true;
    }
    return false;
}

static void put_base_name(struct issue *issue, const char *word, size_t length)
{
    char name[256];
    size_t from = length;

    while (from > 0 && word[from - 1] != '/')
        from--;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(length - from), word + from);
    put(issue, name);
}

/* The program and its script. Arguments may be data of the user. */
static void put_command(struct issue *issue, const struct process_report *report)
{
    const char *command = report->command && report->command[0] ? report->command : report->program;
    const size_t first = command ? strcspn(command, " ") : 0;
    const char *second = command ? command + first + strspn(command + first, " ") : "";
    const size_t length = strcspn(second, " ");

    text_put(&issue->out, "**How to see it**\n\n```\ntare run -v -- ");
    put_base_name(issue, command ? command : "", first);
    if (is_script(second, length)) {
        text_put(&issue->out, " ");
        put_base_name(issue, second, length);
        text_put(&issue->out, second[length] ? " …" : "");
    } else if (length > 0) {
        text_put(&issue->out, " …");
    }
    text_put(&issue->out, "\n```\n");
}

/* ---- one finding ---- */

/* Sentences with numbers alone: others could quote the program. */
static void put_evidence(struct issue *issue, const struct finding *finding)
{
    for (unsigned i = 0; i < finding->fact_count && finding->fact_count == finding->evidence_count; i++) {
        if (finding->facts[i].text || finding->facts[i].place || finding->facts[i].trace)
            continue;
        text_put(&issue->out, "- ");
        put(issue, finding->evidence[i]);
        text_put(&issue->out, "\n");
    }
}

static void put_finding(struct issue *issue, const struct numbered *one)
{
    const struct finding *finding = one->finding;
    struct arena *arena = issue->e->diagnosis->arena;
    const char *unit = clock_rate_name(one->report->clock);
    char rate[TEXT_SIZE_MAX], live[TEXT_SIZE_MAX], blocks[TEXT_SIZE_MAX], ticks[TEXT_SIZE_MAX];

    text_print(&issue->out, "### Memory leak: %s per %s in ",
               text_size(rate, (uint64_t)(finding->rate.estimate + 0.5)), unit);
    put_name(issue, finding->library);
    text_put(&issue->out, "\n\nMade in ");
    put_name(issue, finding->made_in);
    text_print(&issue->out, "\n\n**Measured**\n\n- grows by %s\n", words_rate(arena, &finding->rate, unit));
    text_print(&issue->out, "- %s in about %s blocks alive after %s %s\n",
               text_size(live, finding->live_bytes), text_count(blocks, finding->live_blocks),
               text_count(ticks, one->report->clock_count),
               clock_ticks_name(one->report->clock, one->report->clock_count));
    text_print(&issue->out, "- %s, confidence %.0f%%\n", page_kind_says(finding->kind),
               finding->confidence * 100);
    put_evidence(issue, finding);
    text_put(&issue->out, "\n");
    put_stack(issue, finding);
    put_versions(issue, one);
    put_command(issue, one->report);
}

static size_t put_findings(struct issue *issue)
{
    struct numbered one;
    size_t count = 0;

    for (unsigned number = 1; number_find(issue->e->diagnosis, number, &one); number++) {
        if (!belongs(&one))
            continue;
        text_put(&issue->out, count++ > 0 ? "\n---\n\n" : "");
        put_finding(issue, &one);
    }
    return count;
}

int export_issue(const struct export *e, struct why *why)
{
    struct issue issue = {.e = e};
    bool failed;

    if (put_findings(&issue) == 0)
        text_put(&issue.out, "This run shows no leak inside a library.\n");
    (void)fputs(text_string(&issue.out), e->out);
    failed = issue.out.failed;
    text_free(&issue.out);
    return failed ? fail(why, ERR_NOMEM, "no memory for the issue") : 0;
}
