/* explain.c - see explain.h. */
#include "report/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/facts/diagnosis.h"
#include "doctor/run/headline.h"
#include "doctor/run/number.h"
#include "report/finding_page.h"
#include "report/load.h"
#include "report/page.h"

#define BAR_WIDTH 40
#define LISTED    8 /* findings named in a refusal */

/* ---- survival ---- */

static void fill(char *bar, size_t size, const char *sign, size_t count)
{
    const size_t length = strlen(sign);
    size_t used = strlen(bar);

    for (; count > 0 && used + length < size; count--) {
        memcpy(bar + used, sign, length + 1);
        used += length;
    }
}

/* How many cells of the bar show this part of `most`; at least one unless the part is 0. */
static size_t cells(uint64_t part, uint64_t most)
{
    const size_t whole = (size_t)((double)part / (double)most * BAR_WIDTH + 0.5);

    return part > 0 && whole == 0 ? 1 : whole;
}

static void put_bar(struct page *page, const struct survival *span, uint64_t most, int width)
{
    const size_t born = cells(span->born, most), alive = cells(span->alive, most);
    char bar[4 * BAR_WIDTH] = "", range[48], first[TEXT_SIZE_MAX], second[TEXT_SIZE_MAX];

    fill(bar, sizeof(bar), "█", alive);
    fill(bar, sizeof(bar), "·", born > alive ? born - alive : 0);
    fill(bar, sizeof(bar), " ", BAR_WIDTH - (born > alive ? born : alive));
    if (span->last > span->first)
        (void)snprintf(range, sizeof(range), "%" PRIu64 " to %" PRIu64, span->first, span->last);
    else
        (void)snprintf(range, sizeof(range), "%" PRIu64, span->first);
    page_print(page, "", "%*s %s %s of %s", width, range, bar, text_count(first, span->alive),
               text_count(second, span->born));
}

static int range_width(const struct finding *finding)
{
    int width = 0;

    for (size_t i = 0; i < finding->survival_count; i++) {
        const int one = snprintf(NULL, 0, "%" PRIu64 " to %" PRIu64, finding->survival[i].first,
                                 finding->survival[i].last);

        width = one > width ? one : width;
    }
    return width;
}

static void put_survival(struct page *page, const struct process_report *report,
                         const struct finding *finding)
{
    const int width = range_width(finding);
    uint64_t most = 1;

    for (size_t i = 0; i < finding->survival_count; i++)
        if (finding->survival[i].born > most)
            most = finding->survival[i].born;
    if (finding->survival_count == 0)
        page_line(page, "Survival", "no blocks allocated here were sampled");
    else
        page_print(page, "Survival", "sampled blocks by the %s that allocated them: █ alive, · released",
                   page_tick(report));
    for (size_t i = 0; i < finding->survival_count; i++)
        put_bar(page, &finding->survival[i], most, width);
}

/* ---- places ---- */

void explain_place(struct page *page, const char *label, const char *before,
                   const struct place *place)
{
    char text[PAGE_TEXT];

    page_place(page, place, text, sizeof(text), PAGE_NAME_WIDTH);
    page_print(page, label, "%s%s%s%s", before, text, place->inlined ? " (inlined)" : "",
               place->user ? "" : " (library)");
    page_quote(page, place);
}

/* Each line that makes the memory, with its share. */
static void put_made(struct page *page, const struct finding *finding)
{
    char text[PAGE_TEXT], rate[TEXT_SIZE_MAX];

    for (size_t i = 0; i < finding->made_count && finding->made_count > 1; i++) {
        const struct made_line *line = &finding->made_at[i];

        page_place(page, line->places, text, sizeof(text), PAGE_NAME_WIDTH);
        page_print(page, i == 0 ? "Lines" : "", "%9s  %s",
                   text_size(rate, (uint64_t)(line->rate + 0.5)), text);
    }
}

static void put_places(struct page *page, const struct finding *finding)
{
    if (finding->stored_at)
        explain_place(page, "Stored at", "", finding->stored_at);
    for (size_t i = 0; i < finding->allocated_count; i++)
        explain_place(page, i == 0 ? "Allocated" : "", i == 0 ? "" : "called from ",
                      &finding->allocated_at[i]);
    put_made(page, finding);
    if (finding->allocated_count == 0)
        page_line(page, "Allocated", "not one line: see the evidence");
}

void explain_finding(struct page *page, const struct process_report *report,
                     const struct finding *finding)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "%u. ", finding->number);
    page_tone(page, TONE_BOLD, text);
    page_tone(page, page_kind_tone(finding->kind), kind_name(finding->kind));
    (void)snprintf(text, sizeof(text), " in process %u%s, confidence %.0f%%\n", report->pid,
                   finding->note ? " (small)" : "", finding->confidence * 100);
    page_tone(page, TONE_BOLD, text);
    if (finding->summary)
        page_line(page, "Why", finding->summary);
    for (size_t i = 0; i < finding->evidence_count; i++)
        page_line(page, i == 0 ? "Evidence" : "", finding->evidence[i]);
    page_growth(page, report, finding);
    put_survival(page, report, finding);
    put_places(page, finding);
    page_holder(page, finding);
    if (kind_status(finding->kind) == 1)
        page_forecast(page, report);
    page_remedy(page, &finding->remedy);
}

/* ---- choosing ---- */

/* "1 native, 2 retained". */
static void list_findings(const struct diagnosis *d, char *text, size_t size)
{
    struct numbered one;
    size_t used = 0;
    unsigned number = 1;

    text[0] = 0;
    for (; number_find(d, number, &one); number++)
        if (number <= LISTED && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%u %s", used ? ", " : "", number,
                                     kind_name(one.finding->kind));
    if (number > LISTED + 1 && used < size)
        (void)snprintf(text + used, size - used, " and %u more", number - 1 - LISTED);
    if (number == 1)
        (void)snprintf(text, size, "none");
}

/* The finding of this number in the run or, with a pid, of this id in the process. A process that called
 * exec has several ledgers with one pid; the last with the finding is used. */
static int choose(struct numbered *out, const struct diagnosis *d, uint32_t pid, unsigned id,
                  struct why *why)
{
    char known[300];

    *out = (struct numbered){.finding = NULL};
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; pid && k < d->processes[i].finding_count; k++)
            if (d->processes[i].pid == pid && d->processes[i].findings[k].id == id)
                *out = (struct numbered){&d->processes[i], &d->processes[i].findings[k], 1};
    if (out->finding || (!pid && number_find(d, id, out)))
        return 0;
    list_findings(d, known, sizeof(known));
    if (pid)
        return fail(why, ERR_USAGE, "process %u has no finding %u; there are: %s", pid, id, known);
    return fail(why, ERR_USAGE, "there is no finding %u; there are: %s", id, known);
}

/* ---- the trail ---- */

static bool is_of(const struct finding *finding, const struct place *place)
{
    for (size_t i = 0; i < finding->made_count; i++)
        if (place && (place_same_line(place, finding->made_at[i].places) ||
                      place_same(place, finding->made_at[i].places)))
            return true;
    return false;
}

static void put_trail(struct page *page, const struct process_report *report, const struct finding *only)
{
    char text[PAGE_TEXT], where[PAGE_TEXT], title[64];
    unsigned number = 0;

    (void)snprintf(title, sizeof(title), "Why, in process %u\n", report->pid);
    page_tone(page, TONE_BOLD, title);
    for (size_t i = 0; i < report->trail_count; i++) {
        const struct trail_line *line = &report->trail[i];

        if (only && !is_of(only, line->place))
            continue;
        where[0] = 0;
        if (line->place)
            page_line_name(page, line->place, where, sizeof(where));
        (void)snprintf(text, sizeof(text), "%u", ++number);
        page_print(page, text, "%s%s%s", where, where[0] ? ": " : "", line->text);
    }
    if (number == 0)
        page_line(page, "", "no rule was applied: nothing was measured");
}

static const struct process_report *process_of(const struct diagnosis *d, uint32_t pid)
{
    for (size_t i = d->process_count; pid && i-- > 0;)
        if (d->processes[i].pid == pid)
            return &d->processes[i];
    return pid ? NULL : headline_process(d);
}

int explain_why(const char *path, uint32_t pid, unsigned id, const struct report_options *options,
                FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct numbered choice = {.finding = NULL};
    struct page page;
    int err = report_diagnose(&diagnosis, path, why);

    if (!err && id > 0)
        err = choose(&choice, &diagnosis, pid, id, why);
    else if (!err && !(choice.report = process_of(&diagnosis, pid)))
        err = fail(why, ERR_USAGE, "there is no process %u in this run", pid);
    if (!err) {
        page_init(&page, out, options->color);
        put_trail(&page, choice.report, choice.finding);
    }
    diagnosis_free(&diagnosis);
    return err;
}

int explain_path(const char *path, uint32_t pid, unsigned id, const struct report_options *options,
                 FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct numbered choice;
    struct page page;
    int err = report_diagnose(&diagnosis, path, why);

    if (!err)
        err = choose(&choice, &diagnosis, pid, id, why);
    if (!err) {
        page_init(&page, out, options->color);
        explain_finding(&page, choice.report, choice.finding);
        err = (int)choice.finding->kind;
    }
    diagnosis_free(&diagnosis);
    return err;
}
