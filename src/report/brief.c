/* brief.c - see brief.h. */
#include "report/brief.h"

#include <string.h>

#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/headline.h"
#include "doctor/run/number.h"
#include "doctor/say/words.h"
#include "report/finding_page.h"
#include "report/run_page.h"

#define FULL_FINDINGS 3 /* findings with all their lines; the others have one line each */
#define LINE_FINDINGS 6
#define NOTES_SHOWN   3
#define FIX_LINES_SHOWN 5 /* of its text, which is never shortened: no remedy has more */
#define COMMAND_LEAST 24 /* columns of the command, however long the rest of its line */

/* ---- one finding: its rows, the least important of which are shortened first ---- */

struct row {
    const char *label;
    char text[PAGE_TEXT];
    size_t most; /* lines that it may take; 0: it is left out */
    bool code;   /* a line of source: not folded, and cut at the edge */
    const char *whole; /* in place of the text: code to be pasted, never cut; NULL: none */
};

enum { ROW_RATE, ROW_STORED, ROW_STORED_TEXT, ROW_MADE, ROW_MADE_TEXT, ROW_IN, ROW_LINES, ROW_HELD, ROW_WHY,
       ROW_WHY_MORE, ROW_FORECAST, ROW_FIX, ROW_FIX_CODE, ROWS };

static void set(struct row *row, const char *label, size_t most, const char *text)
{
    row->label = label;
    row->most = text && *text ? most : 0;
    (void)snprintf(row->text, sizeof(row->text), "%s", text ? text : "");
}

static void set_code(struct row *row, const char *text)
{
    set(row, "", 1, text);
    row->code = true;
}

/* The text of the line, if the file has not changed since the run. */
static void set_quote(struct row *row, const struct place *place)
{
    set_code(row, place->text ? place->text : place->changed ? PAGE_CHANGED : NULL);
}

static void set_places(struct row *rows, const struct page *page, const struct finding *finding)
{
    const struct place *stored = finding->stored_at;
    const struct place *made = finding->allocated_count > 0 ? &finding->allocated_at[0] : NULL;
    char text[PAGE_TEXT];

    if (stored) {
        page_place(page, stored, text, sizeof(text), PAGE_NAME_WIDTH);
        set(&rows[ROW_STORED], "Stored at", 1, text);
        set_quote(&rows[ROW_STORED_TEXT], stored);
    }
    if (made && !(stored && place_same(stored, made))) {
        page_place(page, made, text, sizeof(text), PAGE_NAME_WIDTH);
        set(&rows[ROW_MADE], stored ? "Made at" : "Where", 1, text);
        set_quote(&rows[ROW_MADE_TEXT], made);
    }
    if (page_made_text(finding, text, sizeof(text)))
        set(&rows[ROW_LINES], "Lines", 2, text);
    /* Where the storing line is known, that is what to change; -v has the native code, too. */
    set(&rows[ROW_IN], "In", 2, finding->stored_at ? NULL : finding->made_in);
}

static void set_holder(struct row *row, const struct finding *finding)
{
    char text[PAGE_TEXT];

    if (finding->unsearched)
        (void)snprintf(text, sizeof(text), "%s%snot searched (%s)", finding->held_by ? finding->held_by : "",
                       finding->held_by ? "; " : "", finding->unsearched);
    else
        (void)snprintf(text, sizeof(text), "%s", finding->held_by ? finding->held_by : "");
    set(row, "Held by", 2, text);
}

/* The first sentence is about the blocks of this line, the last about why they are kept. */
static void set_evidence(struct row *rows, const struct finding *finding)
{
    const size_t count = finding->evidence_count;

    if (!page_has_rate(finding) || finding->kind == KIND_undecided)
        set(&rows[ROW_WHY], "Why", 2, finding->summary);
    else if (count > 1)
        set(&rows[ROW_WHY], "Why", 2, finding->evidence[0]);
    if (count > 0)
        set(&rows[ROW_WHY_MORE], rows[ROW_WHY].most > 0 ? "" : "Why", 2, finding->evidence[count - 1]);
}

static void set_fix(struct row *rows, const struct remedy *remedy)
{
    struct row *code = &rows[ROW_FIX_CODE];
    struct text text = {0};

    words_fix(&text, remedy);
    set(&rows[ROW_FIX], "Fix", FIX_LINES_SHOWN, text_string(&text));
    set_code(code, remedy->code ? remedy->code : remedy->setting);
    code->whole = remedy->code ? remedy->code : remedy->setting;
    for (const char *at = code->whole; at && (at = strchr(at, '\n')); at++)
        code->most++;
    if (text.length == 0)
        code->label = "Fix";
    text_free(&text);
}

static size_t height(const struct page *page, const struct row *row)
{
    const size_t lines = row->most > 0 && !row->code ? page_height(page, row->text) : row->most;

    return lines < row->most ? lines : row->most;
}

/* Shortens rows, the least important first, until the finding fits. What to change stays whole. */
static void make_fit(const struct page *page, struct row *rows)
{
    static const struct {
        unsigned row;
        size_t most;
    } cuts[] = {{ROW_MADE_TEXT, 0}, {ROW_IN, 1},       {ROW_LINES, 1},    {ROW_WHY_MORE, 1}, {ROW_HELD, 1},
                {ROW_WHY, 1},       {ROW_FORECAST, 1}, {ROW_WHY_MORE, 0}, {ROW_LINES, 0}};
    size_t lines = 1; /* the title */

    for (size_t i = 0; i < ROWS; i++)
        lines += height(page, &rows[i]);
    for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]) && lines > BRIEF_LINES; i++) {
        struct row *row = &rows[cuts[i].row];
        const size_t before = height(page, row);

        if (row->most > cuts[i].most)
            row->most = cuts[i].most;
        lines -= before - height(page, row);
    }
}

static void put_row(struct page *page, const struct row *row)
{
    if (row->most == 0)
        return;
    if (row->whole)
        page_code_whole(page, row->label, row->whole);
    else if (row->code)
        page_code(page, row->label, row->text);
    else
        page_brief(page, row->label, row->text, row->most);
}

static void put_finding(struct page *page, const struct process_report *report,
                        const struct finding *finding)
{
    static struct row rows[ROWS];
    char text[PAGE_TEXT];

    memset(rows, 0, sizeof(rows));
    if (page_has_rate(finding)) {
        page_growth_text(report, finding, text, sizeof(text));
        set(&rows[ROW_RATE], "Rate", 1, text);
    }
    set_places(rows, page, finding);
    set_holder(&rows[ROW_HELD], finding);
    set_evidence(rows, finding);
    if (kind_status(finding->kind) == 1 && page_forecast_text(report, text, sizeof(text)))
        set(&rows[ROW_FORECAST], "Forecast", 2, text);
    set_fix(rows, &finding->remedy);
    make_fit(page, rows);
    for (size_t i = 0; i < ROWS; i++)
        put_row(page, &rows[i]);
}

/* ---- the findings ---- */

/* Notes and plateaus: they do not affect the verdict, or there is nothing to change. */
static bool is_minor(const struct diagnosis *d, const struct numbered *one)
{
    const struct finding *finding = one->finding;
    const bool doubt =
        finding->kind == KIND_undecided && d->verdict == KIND_undecided && !one->report->early;

    return (finding->note && !doubt) || finding->kind == KIND_plateau ||
           finding->kind == KIND_framework_cache;
}

/* "2. plateau: rose by 8.5 MB, then stopped at turn 98. (cache.py:8 in fill)" */
static void put_line(struct page *page, const struct finding *finding)
{
    const struct place *place = finding->stored_at             ? finding->stored_at
                                : finding->allocated_count > 0 ? &finding->allocated_at[0]
                                                               : NULL;
    char where[PAGE_TEXT] = "", text[2 * PAGE_TEXT];

    if (place)
        page_place(page, place, where, sizeof(where), PAGE_NAME_WIDTH / 2);
    (void)snprintf(text, sizeof(text), "%u. %s%s%s: %s", finding->number, kind_name(finding->kind),
                   place ? " at " : "", where, finding->summary ? finding->summary : "");
    page_brief(page, "Also", text, 2);
}

/* The answer is "too early to say", and this "undecided" names no line of the program. */
static bool repeats_answer(const struct numbered *one)
{
    const struct finding *finding = one->finding;

    return one->report->early && finding->kind == KIND_undecided &&
           !(finding->allocated_count > 0 && finding->allocated_at[0].user);
}

struct shown {
    size_t full, lines, left;
};

static void put_one(struct page *page, const struct diagnosis *d, const struct numbered *one, bool minor,
                    struct shown *shown)
{
    const struct finding *finding = one->finding;

    if (one->report->passed_over || repeats_answer(one) || is_minor(d, one) != minor)
        return;
    if (!minor && shown->full++ < FULL_FINDINGS) {
        page_title(page, d, one->report, finding, one->owners);
        put_finding(page, one->report, finding);
    } else if ((!finding->note || d->verdict == KIND_undecided) && shown->lines++ < LINE_FINDINGS) {
        if (shown->lines == 1)
            (void)fputc('\n', page->out);
        put_line(page, finding);
    } else {
        shown->left++;
    }
}

static void put_findings(struct page *page, const struct diagnosis *d)
{
    struct shown shown = {0};
    struct numbered one;

    for (int minor = 0; minor < 2; minor++)
        for (unsigned number = 1; number_find(d, number, &one); number++)
            put_one(page, d, &one, minor, &shown);
    if (shown.left > 0 && shown.lines == 0)
        (void)fputc('\n', page->out);
    if (shown.left > 0)
        page_print(page, "Also", "%zu smaller finding%s: see --verbose", shown.left,
                   shown.left > 1 ? "s" : "");
}

/* ---- the run ---- */

/* "/usr/bin/python3 train.py" is "python3 train.py". */
static const char *after_folder(const char *command)
{
    const char *name = command;

    for (const char *at = command; *at && *at != ' '; at++)
        if (*at == '/' && at[1] && at[1] != ' ')
            name = at + 1;
    return name;
}

static void put_program(struct page *page, const struct process_report *report)
{
    const char *command = report->command && report->command[0] ? report->command : report->program;
    char name[PAGE_TEXT], rest[PAGE_TEXT], most[TEXT_SIZE_MAX];
    const int length = snprintf(rest, sizeof(rest), " (process %u): %s; peak resident %s", report->pid,
                                report->ended ? report->ended : "", text_size(most, report->resident_peak));
    const size_t room = page->width > PAGE_LABEL + (size_t)length + COMMAND_LEAST
                            ? page->width - PAGE_LABEL - (size_t)length
                            : COMMAND_LEAST;

    page_name(command ? after_folder(command) : "?", name, sizeof(name), room);
    page_print(page, "Program", "%s%s", name, rest);
}

/* "9: 2 retained, 1 clean; 6 too short to judge", without the shells and launchers that started them. */
static void put_processes(struct page *page, const struct diagnosis *d)
{
    size_t counts[KIND_retained + 1] = {0};
    char text[256] = "";
    size_t used = 0, short_ones = 0, all = 0;

    for (size_t i = 0; i < d->process_count; i++) {
        if (d->processes[i].launcher)
            continue;
        all++;
        if (d->processes[i].passed_over)
            short_ones++;
        else
            counts[d->processes[i].verdict]++;
    }
    for (size_t kind = KIND_retained + 1; kind-- > 0 && used < sizeof(text);)
        if (counts[kind] > 0)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu %s", used ? ", " : "",
                                     counts[kind], kind_name((enum kind)kind));
    if (short_ones == 0 && all > 1)
        page_print(page, "Processes", "%zu: %s", all, text);
    else if (all > 1)
        page_print(page, "Processes", "%zu: %s; %zu too short to judge", all, text, short_ones);
}

static void put_notes(struct page *page, const struct diagnosis *d, const struct process_report *report)
{
    const size_t own = report ? report->note_count : 0, count = d->note_count + own;

    for (size_t i = 0; i < count && i < NOTES_SHOWN; i++)
        page_line(page, i == 0 ? "Notes" : "",
                  i < d->note_count ? d->notes[i] : report->notes[i - d->note_count]);
    if (count > NOTES_SHOWN)
        page_print(page, "", "%zu more: see --verbose", count - NOTES_SHOWN);
}

void brief_put(struct page *page, const struct diagnosis *d)
{
    const struct process_report *report = headline_process(d);

    put_findings(page, d);
    (void)fputc('\n', page->out);
    page_tried(page, d->tried);
    if (report) {
        put_program(page, report);
        page_clock(page, report);
    }
    put_processes(page, d);
    put_notes(page, d, report);
}
