/* text.c - the full text report (--verbose); brief.c has the short one. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "doctor/run/headline.h"
#include "doctor/run/number.h"
#include "report/brief.h"
#include "report/cost_forms.h"
#include "report/forms.h"
#include "report/finding_page.h"
#include "report/page.h"
#include "report/peak_page.h"
#include "report/run_page.h"

#define SITES_BRIEF     3 /* sites of each list if there are findings */
#define SITES_FULL      5
#define CALLERS_SHOWN   3
#define FINDINGS_SHOWN  6
#define NOTES_SHOWN     8
#define PROCESSES_SHOWN 16

/* ---- the answer ---- */

static void put_answer(struct page *page, const struct diagnosis *d)
{
    page_answer(page, "Does it leak?", d->status == 1 ? TONE_BAD : page_kind_tone(d->verdict),
                d->answer ? d->answer : kind_name(d->verdict));
}

/* ---- findings ---- */

static void put_where(struct page *page, const struct finding *finding)
{
    size_t shown = 0;
    char text[PAGE_TEXT];

    if (finding->stored_at) {
        page_place(page, finding->stored_at, text, sizeof(text), PAGE_NAME_WIDTH);
        page_print(page, "Stored at", "%s", text);
        page_quote(page, finding->stored_at);
    }
    for (size_t i = 0; i < finding->allocated_count && shown < CALLERS_SHOWN; i++) {
        const struct place *place = &finding->allocated_at[i];
        const char *label = finding->stored_at ? "Made at" : "Where";

        if (i > 0 && !place->user)
            continue;
        page_place(page, place, text, sizeof(text), PAGE_NAME_WIDTH);
        page_print(page, shown == 0 ? label : "", "%s%s", shown > 0 ? "called from " : "", text);
        if (shown == 0)
            page_quote(page, place);
        shown++;
    }
    if (page_made_text(finding, text, sizeof(text)))
        page_line(page, "Lines", text);
    page_native(page, finding);
}

static void put_finding(struct page *page, const struct process_report *report,
                        const struct finding *finding)
{
    if (finding->summary)
        page_line(page, "Why", finding->summary);
    for (size_t i = 0; i < finding->evidence_count; i++)
        page_line(page, i == 0 && !finding->summary ? "Why" : "", finding->evidence[i]);
    put_where(page, finding);
    page_holder(page, finding);
    page_array(page, finding->array);
    page_growth(page, report, finding);
    if (kind_status(finding->kind) == 1 && !finding->note)
        page_forecast(page, report);
    page_remedy(page, &finding->remedy);
}

static size_t put_findings(struct page *page, const struct diagnosis *d)
{
    struct numbered one;
    size_t count = 0;

    for (unsigned number = 1; number_find(d, number, &one); number++) {
        if (one.report->passed_over || count++ >= FINDINGS_SHOWN)
            continue;
        page_title(page, d, one.report, one.finding, one.owners);
        put_finding(page, one.report, one.finding);
    }
    if (count > FINDINGS_SHOWN)
        page_print(page, "", "%zu more findings: see --json", count - FINDINGS_SHOWN);
    return count;
}

/* ---- the run ---- */

static unsigned depth_of(const struct diagnosis *d, size_t i)
{
    unsigned depth = 0;

    for (size_t j = i; j-- > 0;) {
        if (d->processes[j].pid == d->processes[i].pid) {
            i = j;
        } else if (d->processes[j].pid == d->processes[i].parent_pid) {
            depth++;
            i = j;
        }
    }
    return depth;
}

static void put_process(struct page *page, const struct diagnosis *d, size_t i, bool first)
{
    const struct process_report *report = &d->processes[i];
    const char *slash = strrchr(report->program ? report->program : "", '/');
    const unsigned depth = first ? 0 : depth_of(d, i);
    char live[TEXT_SIZE_MAX], resident[TEXT_SIZE_MAX];

    page_print(page, first ? "Processes" : "", "%*s%u %s: %s; %s live, %s resident; %s",
               (int)(depth < 20 ? depth : 20) * 2, "", report->pid, slash ? slash + 1 : report->program,
               kind_name(report->verdict), text_size(live, report->live_bytes),
               text_size(resident, report->resident_bytes), report->ended);
}

/* The processes, without shells and launchers that ended too early to be judged. */
static void put_tree(struct page *page, const struct diagnosis *d)
{
    size_t shown = 0, short_ones = 0;

    for (size_t i = 0; i < d->process_count; i++) {
        if (d->processes[i].passed_over)
            short_ones++;
        else if (shown++ < PROCESSES_SHOWN)
            put_process(page, d, i, shown == 1);
    }
    if (shown > PROCESSES_SHOWN)
        page_print(page, "", "%zu more processes: see --json", shown - PROCESSES_SHOWN);
    if (short_ones > 0)
        page_print(page, "", "too short to judge, usually shells and launchers: %zu more", short_ones);
}

static void put_notes(struct page *page, const char *const *notes, size_t count, bool *labelled)
{
    for (size_t i = 0; i < count && i < NOTES_SHOWN; i++) {
        page_line(page, *labelled ? "" : "Notes", notes[i]);
        *labelled = true;
    }
    if (count > NOTES_SHOWN)
        page_print(page, "", "%zu more notes: see --json", count - NOTES_SHOWN);
}

static void put_all(struct page *page, const struct diagnosis *d)
{
    const struct process_report *report = headline_process(d);
    const size_t findings = put_findings(page, d);
    bool labelled = false;

    (void)fputc('\n', page->out);
    page_tried(page, d->tried);
    if (report)
        report_process(page, report, findings > 0 ? SITES_BRIEF : SITES_FULL);
    page_cost(page, d);
    if (d->process_count > 1)
        put_tree(page, d);
    put_notes(page, d->notes, d->note_count, &labelled);
    if (report)
        put_notes(page, report->notes, report->note_count, &labelled);
}

void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out)
{
    struct page page;

    page_init(&page, out, o->color);
    put_answer(&page, d);
    if (o->verbose)
        put_all(&page, d);
    else
        brief_put(&page, d);
}
