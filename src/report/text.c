/* text.c - the diagnosis for a person at a terminal: the answer, then its reasons, one screen. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "doctor/clock.h"
#include "doctor/headline.h"
#include "doctor/tried.h"
#include "report/forms.h"
#include "report/finding_page.h"
#include "report/page.h"
#include "report/peak_page.h"

#define PLACE_TEXT 512

#define SITES_BRIEF     3 /* of each list when there are findings */
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
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a && b ? a->line == b->line && same_text(a->file, b->file) &&
                        same_text(a->function, b->function)
                  : a == b;
}

/* The same thing seen in another process: forked workers leak alike. */
static bool same_finding(const struct finding *a, const struct finding *b)
{
    return a->kind == b->kind && a->note == b->note && a->allocated_count > 0 &&
           b->allocated_count > 0 && same_place(a->allocated_at, b->allocated_at) &&
           same_place(a->stored_at, b->stored_at);
}

static bool has_finding(const struct process_report *report, const struct finding *finding)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (same_finding(&report->findings[i], finding))
            return true;
    return false;
}

/* How many processes from `first` on have it, and 0 if one before has: it was told there. */
static size_t told_for(const struct diagnosis *d, size_t first, const struct finding *finding)
{
    size_t count = 1;

    for (size_t i = 0; i < first; i++)
        if (has_finding(&d->processes[i], finding))
            return 0;
    for (size_t i = first + 1; i < d->process_count; i++)
        count += has_finding(&d->processes[i], finding);
    return count;
}

static void put_title(struct page *page, const struct diagnosis *d,
                      const struct process_report *report, const struct finding *finding,
                      size_t owners)
{
    char owner[96] = "", title[256];

    if (owners > 1)
        (void)snprintf(owner, sizeof(owner), " in %zu processes; here in process %u", owners,
                       report->pid);
    else if (d->process_count > 1)
        (void)snprintf(owner, sizeof(owner), " in process %u", report->pid);
    (void)snprintf(title, sizeof(title), "\n%u. %s%s%s, confidence %.0f%%\n", finding->id,
                   kind_name(finding->kind), owner, finding->note ? " (a note)" : "",
                   finding->confidence * 100);
    page_tone(page, TONE_BOLD, title);
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
    size_t count = 0;

    for (size_t i = 0; i < d->process_count; i++) {
        for (size_t k = 0; k < d->processes[i].finding_count; k++) {
            const struct finding *finding = &d->processes[i].findings[k];
            const size_t owners = told_for(d, i, finding);

            if (owners == 0 || count++ >= FINDINGS_SHOWN)
                continue;
            put_title(page, d, &d->processes[i], finding, owners);
            put_finding(page, &d->processes[i], finding);
        }
    }
    if (count > FINDINGS_SHOWN)
        page_print(page, "", "%zu more findings: see --json", count - FINDINGS_SHOWN);
    return count;
}

/* ---- measurements of one process ---- */

static void put_memory(struct page *page, const struct process_report *report)
{
    char a[TEXT_SIZE_MAX], b[TEXT_SIZE_MAX], c[TEXT_SIZE_MAX], e[TEXT_SIZE_MAX], f[TEXT_SIZE_MAX],
        g[TEXT_SIZE_MAX];

    page_print(page, "Memory", "%s resident (%s at most); %s live in %s blocks; %s mapped",
               text_size(a, report->resident_bytes), text_size(b, report->resident_peak),
               text_size(c, report->live_bytes), text_count(e, report->live_blocks),
               text_size(f, report->mapped_bytes));
    page_print(page, "", "%s allocated in all, in %s blocks; %s shared%s%s",
               text_size(a, report->allocated_bytes), text_count(b, report->allocated_blocks),
               text_size(c, report->shared_bytes),
               report->inherited_bytes > 0 ? "; inherited by fork " : "",
               report->inherited_bytes > 0 ? text_size(g, report->inherited_bytes) : "");
}

static void put_account(struct page *page, const struct process_report *report)
{
    char text[PAGE_TEXT], bytes[TEXT_SIZE_MAX];
    size_t used = 0;

    for (size_t i = 0; i < report->account_count && used < sizeof(text); i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", i > 0 ? " + " : "",
                             report->account[i].name, text_size(bytes, report->account[i].bytes));
    if (report->account_count > 0)
        page_print(page, "Account", "%s; unexplained %s", text,
                   text_size_signed(bytes, (double)report->account_remainder));
}

/* What each model leaves behind, by what keeps it. */
static void put_keepings(struct page *page, const struct process_report *report)
{
    char bytes[TEXT_SIZE_MAX];
    bool first = true;

    for (size_t i = 0; i < report->keeping_count; i++) {
        const struct keeping *line = &report->keepings[i];

        if (line->bytes < 1)
            continue;
        if (first)
            page_print(page, "Per model", "what each leaves behind, by what keeps it:");
        first = false;
        page_print(page, "", "%8s  %s%s%s%s; returned by %s", text_size(bytes, (uint64_t)line->bytes),
                   line->what, line->held_by ? ": " : "", line->held_by ? line->held_by : "",
                   line->unbounded ? " (unbounded)" : " (bounded)", line->returned);
    }
}

/* The site's own line, and the nearest other function of the user's that called it. */
static void put_site(struct page *page, const struct site_summary *site, const char *amount)
{
    char place[PAGE_TEXT] = "(the stack was not recorded)", caller[PAGE_TEXT] = "";

    if (site->place_count > 0)
        page_place(page, &site->places[0], place, sizeof(place), PAGE_NAME_WIDTH / 2);
    for (size_t i = 1; i < site->place_count && !caller[0]; i++)
        if (site->places[i].user && strcmp(site->places[i].function, site->places[0].function) != 0)
            page_name(site->places[i].function, caller, sizeof(caller), PAGE_NAME_WIDTH / 2);
    page_print(page, "", "%8s  %s%s%s%s", amount, place, caller[0] ? ", called by " : "", caller,
               site->map ? " (mapping)" : "");
}

static void put_live(struct page *page, const struct process_report *report, size_t most)
{
    char bytes[TEXT_SIZE_MAX];

    for (size_t i = 0; i < report->live_site_count && i < most; i++) {
        if (i == 0)
            page_line(page, "Live", "now, by allocating line (estimated from samples):");
        put_site(page, &report->live_sites[i], text_size(bytes, report->live_sites[i].live_bytes));
    }
}

static void put_growing(struct page *page, const struct process_report *report, size_t most)
{
    char bytes[TEXT_SIZE_MAX];

    for (size_t i = 0; i < report->growing_site_count && i < most; i++) {
        if (i == 0)
            page_print(page, "Growing",
                       "per %s over the second half of the run, still alive:", page_rate_unit(report));
        put_site(page, &report->growing_sites[i],
                 text_size_signed(bytes, report->growing_sites[i].growth));
    }
}

static void put_peak(struct page *page, const struct process_report *report, size_t most)
{
    char bytes[TEXT_SIZE_MAX], step[TEXT_SIZE_MAX];

    page_print(page, "Peak", "%s live at its highest, at %s %s%s",
               text_size(bytes, report->peak_bytes), page_tick(report),
               text_count(step, report->peak_step), report->peak_site_count > 0 ? ":" : "");
    for (size_t i = 0; i < report->peak_site_count && i < most; i++)
        put_site(page, &report->peak_sites[i], text_size(bytes, report->peak_sites[i].peak_bytes));
    page_peaks(page, report);
}

static void name_phase(const struct page *page, const struct phase_summary *phase, char *text, size_t size)
{
    char place[PLACE_TEXT] = "";

    if (phase->place)
        page_place(page, phase->place, place, sizeof(place), PAGE_NAME_WIDTH);
    (void)snprintf(text, size, "%s%s%s", strcmp(phase->kind, "loop") == 0 ? "a loop" : phase->kind,
                   place[0] ? " at " : "", place);
}

/* One that starts and then does one thing has none worth telling. */
static void put_phases(struct page *page, const struct process_report *report)
{
    for (size_t i = 0; report->phase_count > 2 && i < report->phase_count; i++) {
        const struct phase_summary *phase = &report->phases[i];
        const uint64_t size = (uint64_t)(phase->kept < 0 ? -phase->kept : phase->kept);
        char name[PLACE_TEXT + 32], span[TEXT_SIZE_MAX], kept[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];

        name_phase(page, phase, name, sizeof(name));
        page_print(page, i == 0 ? "Phases" : "", "%s: %s%s%s, %s %s%s%s", name,
                   phase->turns > 0 ? text_count(count, phase->turns) : "",
                   phase->turns > 0 ? " turns in " : "", page_seconds(span, phase->seconds),
                   text_size(kept, size), phase->kept < 0 ? "less" : "more", phase->over ? "; over" : "",
                   phase->judged ? "; judged by this one" : "");
    }
}

static void put_measured(struct page *page, const struct process_report *report)
{
    char count[TEXT_SIZE_MAX], span[TEXT_SIZE_MAX], rate[TEXT_SIZE_MAX], samples[TEXT_SIZE_MAX];

    page_print(page, "Measured", "%s %s by the clock \"%s\" in %s%s%s",
               text_count(count, report->clock_count), clock_ticks_name(report->clock, report->clock_count),
               report->clock ? report->clock : "none", page_seconds(span, report->seconds),
               report->clock_reason ? "; " : "", report->clock_reason ? report->clock_reason : "");
    page_print(page, "", "one sample per %s on average, %s samples%s%s",
               text_size(rate, report->rate), text_count(samples, report->samples),
               report->allocator && report->allocator[0] ? "; malloc of " : "",
               report->allocator ? report->allocator : "");
    if (report->pause_seconds > 0)
        page_print(page, "", "paused for %s in all by what was asked of it",
                   page_seconds(span, report->pause_seconds));
    for (size_t i = 0; i < report->loss_count; i++)
        page_print(page, i == 0 ? "Lost" : "", "%s %s", text_count(count, report->losses[i].count),
                   report->losses[i].what);
}

/* Is a holder known of anything that is kept? */
static bool is_held(const struct process_report *report)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].kind == KIND_retained && report->findings[i].held_by)
            return true;
    return false;
}

static const char *unsearched(const struct process_report *report)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].kind == KIND_retained && report->findings[i].unsearched)
            return report->findings[i].unsearched;
    return NULL;
}

static void put_verdict(struct page *page, const struct process_report *report)
{
    static const char *const says[] = {
#define KIND(severity, name, spelling, status, says) [severity] = says,
#include "doctor/kinds.def"
#undef KIND
    };
    const char *said = says[report->verdict], *why = NULL;

    if (report->verdict == KIND_retained && !is_held(report)) {
        why = unsearched(report);
        said = why ? "blocks survive; holder: not searched"
                   : "blocks survive; what holds them is not known";
    }
    if (report->early) {
        page_print(page, "Verdict", "%s: too little was seen to say anything", kind_name(report->verdict));
        return;
    }
    page_print(page, "Verdict", "%s: %s%s%s%s (confidence %.0f%%)", kind_name(report->verdict),
               said, why ? " (" : "", why ? why : "", why ? ")" : "", report->confidence * 100);
}

void report_process(struct page *page, const struct process_report *report, size_t most)
{
    page_print(page, "Program", "%s (process %u): %s",
               report->command && report->command[0] ? report->command : report->program,
               report->pid, report->ended ? report->ended : "");
    put_verdict(page, report);
    put_memory(page, report);
    put_account(page, report);
    put_keepings(page, report);
    put_peak(page, report, most);
    put_live(page, report, most);
    put_growing(page, report, most);
    put_phases(page, report);
    put_measured(page, report);
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

static void put_tree(struct page *page, const struct diagnosis *d)
{
    for (size_t i = 0; i < d->process_count && i < PROCESSES_SHOWN; i++) {
        const struct process_report *report = &d->processes[i];
        const char *slash = strrchr(report->program ? report->program : "", '/');
        const unsigned depth = depth_of(d, i);
        char live[TEXT_SIZE_MAX], resident[TEXT_SIZE_MAX];

        page_print(page, i == 0 ? "Processes" : "", "%*s%u %s: %s; %s live, %s resident; %s",
                   (int)(depth < 20 ? depth : 20) * 2, "", report->pid,
                   slash ? slash + 1 : report->program, kind_name(report->verdict),
                   text_size(live, report->live_bytes), text_size(resident, report->resident_bytes),
                   report->ended);
    }
    if (d->process_count > PROCESSES_SHOWN)
        page_print(page, "", "%zu more processes: see --json", d->process_count - PROCESSES_SHOWN);
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

static void put_tried(struct page *page, const struct tried *tried)
{
    if (!tried)
        return;
    page_line(page, "Tried", tried->sentence);
    if (tried->says)
        page_print(page, "", "%s: %s.", tried->remedy, tried->says);
    if (tried->returned)
        page_line(page, "", tried->returned);
}

void report_text(const struct diagnosis *d, const struct report_options *o, FILE *out)
{
    const struct process_report *report = headline_process(d);
    bool labelled = false;
    struct page page;
    size_t findings;

    page_init(&page, out, o->color);
    put_answer(&page, d);
    findings = put_findings(&page, d);
    (void)fputc('\n', out);
    put_tried(&page, d->tried);
    if (report)
        report_process(&page, report, findings > 0 ? SITES_BRIEF : SITES_FULL);
    if (d->process_count > 1)
        put_tree(&page, d);
    put_notes(&page, d->notes, d->note_count, &labelled);
    if (report)
        put_notes(&page, report->notes, report->note_count, &labelled);
}
