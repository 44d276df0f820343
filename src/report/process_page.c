/* process_page.c - one process in full: its verdict and all measurements. */
#include <string.h>

#include "base/text.h"
#include "doctor/measure/clock.h"
#include "report/finding_page.h"
#include "report/forms.h"
#include "report/page.h"
#include "report/peak_page.h"

#define PLACE_TEXT   512

static void put_memory(struct page *page, const struct process_report *report)
{
    char a[TEXT_SIZE_MAX], b[TEXT_SIZE_MAX], c[TEXT_SIZE_MAX], e[TEXT_SIZE_MAX], f[TEXT_SIZE_MAX],
        g[TEXT_SIZE_MAX];

    page_print(page, "Memory", "%s resident (%s at most); %s live in %s blocks; %s mapped",
               text_size(a, report->resident_bytes), text_size(b, report->resident_peak),
               text_size(c, report->live_bytes), text_count(e, report->live_blocks),
               text_size(f, report->mapped_bytes));
    page_print(page, "", "%s allocated in total, in %s blocks; %s shared%s%s",
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

/* The memory that each model leaves, by what keeps it. */
static void put_keepings(struct page *page, const struct process_report *report)
{
    char bytes[TEXT_SIZE_MAX];
    bool first = true;

    for (size_t i = 0; i < report->keeping_count; i++) {
        const struct keeping *line = &report->keepings[i];

        if (line->bytes < 1)
            continue;
        if (first)
            page_print(page, "Per model", "memory that each model leaves, by what keeps it:");
        first = false;
        page_print(page, "", "%8s  %s%s%s%s; returned by %s", text_size(bytes, (uint64_t)line->bytes),
                   line->what, line->held_by ? ": " : "", line->held_by ? line->held_by : "",
                   line->unbounded ? " (unbounded)" : " (bounded)", line->returned);
    }
}

/* The line of the site, and the nearest other user function that called it. */
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
            page_print(page, "Growing", "per %s over the second half of the run, still alive:",
                       page_rate_unit(report));
        put_site(page, &report->growing_sites[i], text_size_signed(bytes, report->growing_sites[i].growth));
    }
}

static void put_peak(struct page *page, const struct process_report *report, size_t most)
{
    char bytes[TEXT_SIZE_MAX], step[TEXT_SIZE_MAX];

    page_print(page, "Peak", "%s live, at %s %s%s",
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
    (void)snprintf(text, size, "%s%s%s", phase->kind == PHASE_LOOP ? "a loop" : phase_kind_name(phase->kind),
                   place[0] ? " at " : "", place);
}

/* A process that starts and then does one thing needs no list of phases. */
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
               clock_name_shown(report->clock), page_seconds(span, report->seconds),
               report->clock_reason ? "; " : "", report->clock_reason ? report->clock_reason : "");
    page_print(page, "", "one sample per %s on average, %s samples%s%s",
               text_size(rate, report->rate), text_count(samples, report->samples),
               report->allocator && report->allocator[0] ? "; malloc of " : "",
               report->allocator ? report->allocator : "");
    if (report->pause_seconds > 0)
        page_print(page, "", "paused for %s in total by tare's requests",
                   page_seconds(span, report->pause_seconds));
    for (size_t i = 0; i < report->loss_count; i++)
        page_print(page, i == 0 ? "Lost" : "", "%s %s", text_count(count, report->losses[i].count),
                   report->losses[i].what);
}

/* Has a retained finding a known holder? */
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
    const char *said = page_kind_says(report->verdict), *why = NULL;

    if (report->verdict == KIND_retained && !is_held(report)) {
        why = unsearched(report);
        said = why ? "memory is kept; holder: not searched"
                   : "memory is kept; holder: not known";
    }
    if (report->early) {
        page_print(page, "Verdict", "%s: too short to judge", kind_name(report->verdict));
        return;
    }
    page_print(page, "Verdict", "%s: %s%s%s%s (confidence %.0f%%)", kind_name(report->verdict),
               said, why ? " (" : "", why ? why : "", why ? ")" : "", report->confidence * 100);
}

static const char *const role_words[] = {[PARAMETERS_ROLE] = "parameters",
                                         [GRADIENTS_ROLE] = "gradients",
                                         [OPTIMIZER_ROLE] = "optimizer state"};

/* "parameters 80.0 MB, gradients 80.0 MB, optimizer state 160 MB, other 59.0 MB" */
static void put_roles(struct page *page, const struct device_summary *device)
{
    char text[PAGE_TEXT] = "", bytes[TEXT_SIZE_MAX];
    uint64_t known = 0;
    size_t used = 0;

    for (unsigned i = 0; i < DEVICE_ROLES; i++) {
        known += device->roles[i];
        if (device->roles[i] > 0 && used < sizeof(text))
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s, ", role_words[i],
                                     text_size(bytes, device->roles[i]));
    }
    if (known > 0 && device->used >= known)
        page_print(page, "", "in use: %sother %s", text, text_size(bytes, device->used - known));
}

static void put_device(struct page *page, const struct device_summary *device, size_t most)
{
    char label[32], a[TEXT_SIZE_MAX], b[TEXT_SIZE_MAX], c[TEXT_SIZE_MAX], e[TEXT_SIZE_MAX];

    (void)snprintf(label, sizeof(label), "Device %u", device->index);
    page_print(page, label, "%s in use (%s at most); %s taken%s%s%s%s", text_size(a, device->used),
               text_size(b, device->most), text_size(c, device->taken), device->memory ? " of " : "",
               device->memory ? text_size(e, device->memory) : "", device->name ? "; " : "",
               device->name ? device->name : "");
    if (device->pool > device->pool_used)
        page_print(page, "", "a framework's pool has %s of it, %s free", text_size(a, device->pool),
                   text_size(b, device->pool - device->pool_used));
    put_roles(page, device);
    for (size_t i = 0; i < device->site_count && i < most; i++)
        put_site(page, &device->sites[i], text_size(a, device->sites[i].live_bytes));
}

void report_process(struct page *page, const struct process_report *report, size_t most)
{
    page_print(page, "Program", "%s (process %u): %s",
               report->command && report->command[0] ? report->command : report->program,
               report->pid, report->ended ? report->ended : "");
    put_verdict(page, report);
    put_memory(page, report);
    put_account(page, report);
    for (size_t i = 0; i < report->device_count; i++)
        put_device(page, &report->devices[i], most);
    put_keepings(page, report);
    put_peak(page, report, most);
    put_live(page, report, most);
    put_growing(page, report, most);
    put_phases(page, report);
    put_measured(page, report);
}
