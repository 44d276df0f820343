/* run_page.c - see run_page.h. */
#include "report/run_page.h"

#include "doctor/facts/ticks.h"
#include "doctor/run/headline.h"
#include "report/finding_page.h"

static const char *what_is_wrong(const struct finding *finding)
{
    if (finding->kind == KIND_retained && !finding->held_by)
        return "memory is kept; holder: not known";
    return page_kind_says(finding->kind);
}

void page_title(struct page *page, const struct diagnosis *d,
                      const struct process_report *report, const struct finding *finding,
                      size_t owners)
{
    char owner[96] = "", title[256];

    if (owners > 1)
        (void)snprintf(owner, sizeof(owner), " in %zu processes; here in process %u", owners,
                       report->pid);
    else if (d->process_count > 1 && headline_process(d) != report)
        (void)snprintf(owner, sizeof(owner), " in process %u", report->pid);
    (void)snprintf(title, sizeof(title), "\n%u. %s%s%s, confidence %.0f%%: %s\n", finding->number,
                   kind_name(finding->kind), owner, finding->note ? " (small)" : "",
                   finding->confidence * 100, what_is_wrong(finding));
    page_tone(page, TONE_BOLD, title);
}

/* ---- the clock ---- */

/* The beginning of the loop that is the clock; NULL: the clock is not a loop, or its place is not known. */
static const struct place *loop_of(const struct process_report *report)
{
    for (size_t i = 0; i < report->phase_count; i++)
        if (report->phases[i].judged)
            return report->phases[i].place;
    return NULL;
}

void page_clock(struct page *page, const struct process_report *report)
{
    char count[TEXT_SIZE_MAX], span[TEXT_SIZE_MAX], place[PAGE_TEXT] = "";
    const struct place *loop = loop_of(report);

    page_seconds(span, report->seconds);
    if (report->clock == CLOCK_time) {
        page_print(page, "Clock", "%s; no steps were found, so rates are per second (tare.step() marks a "
                   "step)", span);
        return;
    }
    if (loop && loop->file)
        (void)snprintf(place, sizeof(place), "%s:%u", page_file(page, loop->file), loop->line);
    else if (loop)
        page_place(page, loop, place, sizeof(place), PAGE_NAME_WIDTH / 2);
    page_print(page, "Clock", "%s%s %s%s%s in %s", clock_is_exact(report->clock) ? "" : "about ",
               text_count(count, report->clock_count), clock_ticks_shown(report->clock), loop ? " at " : "",
               place, span);
}

/* ---- a remedy that was tried ---- */

void page_tried(struct page *page, const struct tried *tried)
{
    if (!tried)
        return;
    page_line(page, "Tried", tried->sentence);
    if (tried->says)
        page_print(page, "", "%s: %s.", tried->remedy, tried->says);
    if (tried->returned)
        page_line(page, "", tried->returned);
}
