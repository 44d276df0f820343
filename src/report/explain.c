/* explain.c - see explain.h. */
#include "report/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "doctor/facts/diagnosis.h"
#include "report/finding_page.h"
#include "report/forms.h"
#include "report/page.h"

#define BAR_WIDTH 40
#define LISTED    8 /* findings or processes named in a refusal */

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

static void put_places(struct page *page, const struct finding *finding)
{
    if (finding->stored_at)
        explain_place(page, "Stored at", "", finding->stored_at);
    for (size_t i = 0; i < finding->allocated_count; i++)
        explain_place(page, i == 0 ? "Allocated" : "", i == 0 ? "" : "called from ",
                      &finding->allocated_at[i]);
    if (finding->allocated_count == 0)
        page_line(page, "Allocated", "not one line: see the evidence");
}

void explain_finding(struct page *page, const struct process_report *report,
                     const struct finding *finding)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "%u. ", finding->id);
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

/* "1 native, 2 retained", or with several processes "12.1 native, 13.1 native". */
static void list_findings(const struct diagnosis *d, char *text, size_t size)
{
    size_t used = 0, count = 0;

    text[0] = 0;
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; k < d->processes[i].finding_count && used < size; k++) {
            const struct finding *finding = &d->processes[i].findings[k];
            char owner[16] = "";

            if (++count > LISTED)
                continue;
            if (d->process_count > 1)
                (void)snprintf(owner, sizeof(owner), "%u.", d->processes[i].pid);
            used += (size_t)snprintf(text + used, size - used, "%s%s%u %s", used ? ", " : "", owner,
                                     finding->id, kind_name(finding->kind));
        }
    if (count > LISTED && used < size)
        (void)snprintf(text + used, size - used, " and %zu more", count - LISTED);
    if (count == 0)
        (void)snprintf(text, size, "none");
}

struct choice {
    const struct process_report *report;
    const struct finding *finding;
};

/* A process that called exec has several ledgers with one pid; the last with the finding is used. */
static int choose(struct choice *out, const struct diagnosis *d, uint32_t pid, unsigned id,
                  struct why *why)
{
    uint32_t owner = 0;
    bool several = false;
    char known[300];

    *out = (struct choice){.finding = NULL};
    for (size_t i = 0; i < d->process_count; i++)
        for (size_t k = 0; k < d->processes[i].finding_count; k++) {
            const struct process_report *report = &d->processes[i];

            if (report->findings[k].id != id || (pid && report->pid != pid))
                continue;
            several |= owner != 0 && owner != report->pid;
            owner = report->pid;
            *out = (struct choice){report, &report->findings[k]};
        }
    if (out->finding && !several)
        return 0;
    list_findings(d, known, sizeof(known));
    if (several)
        return fail(why, ERR_USAGE,
                    "several processes have a finding %u; say PID.%u; there are: %s", id, id,
                    known);
    return fail(why, ERR_USAGE, "there is no finding %u; there are: %s", id, known);
}

int explain_path(const char *path, uint32_t pid, unsigned id, const struct report_options *options,
                 FILE *out, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct choice choice;
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
