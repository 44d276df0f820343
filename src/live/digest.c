/* digest.c - see digest.h: from a diagnosis to rows and pages. */
#include "live/digest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/measure/clock.h"
#include "doctor/run/summary.h"
#include "ledger/model.h"
#include "live/digest_parts.h"
#include "report/explain.h"
#include "report/finding_page.h"
#include "report/forms.h"
#include "report/load.h"

#define UNFOLDED   ((size_t)1 << 20) /* the view folds the page, at a width that may change */
#define WHERE_NAME 40                /* columns of a function's name in a row */
#define SITE_LINES 8                 /* sites of each list on the page of a process */

struct making {
    struct digest *digest;
    const struct run *run;
    struct page page;
    char *printed; /* the bytes of the page being written; its stream owns them */
    size_t printed_size;
};

/* ---- texts ---- */

static uint32_t add_text(struct digest *digest, const char *text, size_t length)
{
    const size_t at = digest->texts.length;

    if (length == 0 || at + length >= UINT32_MAX)
        return 0;
    text_add(&digest->texts, text, length);
    text_add(&digest->texts, "", 1);
    return (uint32_t)at;
}

static uint32_t add_safe(struct digest *digest, const char *text)
{
    struct text safe = {0};
    uint32_t id;

    text_safe(&safe, text ? text : "", text ? strlen(text) : 0);
    id = add_text(digest, text_string(&safe), safe.length);
    digest->texts.failed |= safe.failed;
    text_free(&safe);
    return id;
}

/* What is written to making->page between begin and end becomes one text. */
static bool page_begin(struct making *making)
{
    FILE *out = open_memstream(&making->printed, &making->printed_size);

    if (!out) {
        making->digest->texts.failed = true;
        return false;
    }
    page_init(&making->page, out, false);
    making->page.width = UNFOLDED;
    return true;
}

static uint32_t page_end(struct making *making)
{
    uint32_t id = 0;

    if (fclose(making->page.out) == 0)
        id = add_text(making->digest, making->printed, making->printed_size);
    free(making->printed); /* open_memstream allocated it */
    return id;
}

static uint32_t add_where(struct making *making, const struct place *place)
{
    char text[PAGE_TEXT] = "(the stack was not recorded)";

    if (place)
        page_place(&making->page, place, text, sizeof(text), WHERE_NAME);
    return add_safe(making->digest, text);
}

/* ---- findings ---- */

static uint32_t rate_unit(struct making *making, const struct process_report *report,
                          const struct finding *finding)
{
    char text[64];

    (void)snprintf(text, sizeof(text), "%s on device %u", page_rate_unit(report), finding->device);
    return add_safe(making->digest, finding->memory == MEMORY_DEVICE ? text : page_rate_unit(report));
}

static void put_finding(struct making *making, struct digest_finding *out,
                        const struct process_report *report, const struct finding *finding)
{
    const struct place *place = finding->stored_at         ? finding->stored_at
                                : finding->allocated_count ? finding->allocated_at
                                                           : NULL;

    *out = (struct digest_finding){.pid = report->pid,
                                   .id = finding->id,
                                   .kind = finding->kind,
                                   .note = finding->note,
                                   .rate = finding->rate.estimate};
    out->unit = rate_unit(making, report, finding);
    out->summary = add_safe(making->digest, finding->summary);
    if (!page_begin(making))
        return;
    explain_finding(&making->page, report, finding);
    out->page = page_end(making);
    out->where = place ? add_where(making, place) : 0;
}

static int by_severity(const void *a, const void *b)
{
    const struct digest_finding *left = a, *right = b;

    if (left->note != right->note)
        return left->note < right->note ? -1 : 1;
    if (left->kind != right->kind)
        return left->kind > right->kind ? -1 : 1;
    if (left->rate > right->rate || left->rate < right->rate)
        return left->rate > right->rate ? -1 : 1;
    return left->pid != right->pid ? (left->pid < right->pid ? -1 : 1)
                                   : (left->id > right->id) - (left->id < right->id);
}

static int add_findings(struct making *making, const struct diagnosis *diagnosis, struct why *why)
{
    struct digest *digest = making->digest;
    size_t count = 0;

    for (size_t i = 0; i < diagnosis->process_count; i++)
        count += diagnosis->processes[i].finding_count;
    digest->findings = mem_zalloc_array(count + 1, sizeof(*digest->findings));
    if (!digest->findings)
        return fail(why, ERR_NOMEM, "no memory for %zu findings", count);
    for (size_t i = 0; i < diagnosis->process_count; i++) {
        const struct process_report *report = &diagnosis->processes[i];

        for (size_t k = 0; !report->launcher && k < report->finding_count; k++)
            put_finding(making, &digest->findings[digest->head.finding_count++], report,
                        &report->findings[k]);
    }
    qsort(digest->findings, digest->head.finding_count, sizeof(*digest->findings), by_severity);
    return 0;
}

/* ---- sites ---- */

static uint32_t site_page(struct making *making, const struct process_report *report,
                          const struct site_summary *site)
{
    char bytes[TEXT_SIZE_MAX], blocks[TEXT_SIZE_MAX];

    if (!page_begin(making))
        return 0;
    page_print(&making->page, "Live", "%s in about %s blocks%s (estimated from samples)",
               text_size(bytes, site->live_bytes), text_count(blocks, site->live_blocks),
               site->map ? " of mapped memory" : "");
    page_print(&making->page, "Growing", "%s per %s over the second half of the run, still alive",
               text_size_signed(bytes, site->growth), page_rate_unit(report));
    page_print(&making->page, "Peak", "%s", text_size(bytes, site->peak_bytes));
    page_print(&making->page, "Allocated", "%s in all", text_size(bytes, site->born_bytes));
    for (size_t i = 0; i < site->place_count; i++)
        explain_place(&making->page, i == 0 ? "Made at" : "", i == 0 ? "" : "called from ",
                      &site->places[i]);
    if (site->place_count == 0)
        page_line(&making->page, "Made at", "the stack was not recorded");
    return page_end(making);
}

/* The three lists of a report share sites. Each list has merged its own stacks that show the same places, so
 * its numbers may differ. */
static bool same_site(const struct site_summary *a, const struct site_summary *b)
{
    bool same = a->place_count == b->place_count && a->map == b->map;

    for (size_t i = 0; i < a->place_count && same; i++)
        same = place_same(&a->places[i], &b->places[i]);
    return same;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void widen(struct digest_site *site, const struct site_summary *seen, double ticks)
{
    const double growth = isfinite(seen->growth) ? seen->growth : 0;
    const double grown = growth * ticks;

    site->live = larger(site->live, seen->live_bytes);
    site->allocated = larger(site->allocated, seen->born_bytes);
    site->grown = larger(site->grown, grown > 0 && grown < 1e18 ? (uint64_t)grown : 0);
    site->growth = growth > site->growth ? growth : site->growth;
}

static double ticks_of(const struct making *making, const struct process_report *report)
{
    for (size_t i = 0; i < making->run->process_count; i++) {
        const struct model *model = making->run->processes[i];

        if (model->head.pid == report->pid && model->head.generation == report->generation)
            return summary_ticks(report, model);
    }
    return 0;
}

static void put_list(struct making *making, const struct process_report *report,
                     const struct site_summary *list, size_t list_count,
                     const struct site_summary **kept, size_t *kept_count)
{
    struct digest *digest = making->digest;
    struct digest_site *sites = digest->sites + digest->head.site_count - *kept_count;
    const double ticks = ticks_of(making, report);

    for (size_t i = 0; i < list_count && *kept_count < 3 * SUMMARY_SITES; i++) {
        const struct site_summary *site = &list[i];
        size_t at = 0;

        while (at < *kept_count && !same_site(kept[at], site))
            at++;
        if (at == *kept_count) {
            kept[(*kept_count)++] = site;
            sites[at] = (struct digest_site){
                .pid = report->pid,
                .page = site_page(making, report, site),
                .where = add_where(making, site->place_count ? site->places : NULL),
                .map = site->map};
            digest->head.site_count++;
        }
        widen(&sites[at], site, ticks);
    }
}

static void put_sites(struct making *making, const struct process_report *report)
{
    const struct site_summary *kept[3 * SUMMARY_SITES];
    size_t count = 0;

    put_list(making, report, report->live_sites, report->live_site_count, kept, &count);
    put_list(making, report, report->growing_sites, report->growing_site_count, kept, &count);
    put_list(making, report, report->peak_sites, report->peak_site_count, kept, &count);
}

static void put_device_sites(struct making *making, const struct process_report *report,
                             const struct device_summary *device)
{
    const struct site_summary *kept[3 * SUMMARY_SITES];
    struct digest *digest = making->digest;
    size_t count = 0;

    put_list(making, report, device->sites, device->site_count, kept, &count);
    for (size_t i = 0; i < count; i++)
        digest->sites[digest->head.site_count - 1 - i].device = device->index + 1;
}

static void put_all_sites(struct making *making, const struct process_report *report)
{
    put_sites(making, report);
    for (size_t i = 0; i < report->device_count; i++)
        put_device_sites(making, report, &report->devices[i]);
}

static bool is_running(const struct process_report *report)
{
    return report->ending == ENDING_RUNNING || report->ending == ENDING_UNRECORDED;
}

/* While some processes run, memory of those that ended is not counted. */
static int add_sites(struct making *making, const struct diagnosis *diagnosis, struct why *why)
{
    struct digest *digest = making->digest;
    size_t lists = 0;
    bool any = false;

    for (size_t i = 0; i < diagnosis->process_count; i++)
        lists += 3 + diagnosis->processes[i].device_count;
    digest->sites = mem_zalloc_array(lists * SUMMARY_SITES + 1, sizeof(*digest->sites));
    if (!digest->sites)
        return fail(why, ERR_NOMEM, "no memory for the sites");
    for (size_t i = 0; i < diagnosis->process_count; i++)
        any |= is_running(&diagnosis->processes[i]);
    for (size_t i = 0; i < diagnosis->process_count; i++)
        if (any ? is_running(&diagnosis->processes[i]) : !diagnosis->processes[i].launcher)
            put_all_sites(making, &diagnosis->processes[i]);
    return 0;
}

/* ---- processes ---- */

enum clock_id digest_clock(const struct digest_process *process)
{
    return process ? (enum clock_id)process->clock : CLOCK_NONE;
}

static double leaks_of(const struct process_report *report)
{
    double sum = 0;

    for (size_t i = 0; i < report->finding_count; i++)
        if (finding_leaks(&report->findings[i]) && !report->findings[i].note)
            sum += report->findings[i].rate.estimate;
    return sum;
}

static uint32_t depth_of(const struct diagnosis *diagnosis, size_t of)
{
    uint32_t depth = 0;

    for (size_t i = of; i-- > 0;)
        if (diagnosis->processes[i].pid == diagnosis->processes[of].parent_pid) {
            depth++;
            of = i;
        }
    return depth;
}

static uint32_t add_name(struct digest *digest, const struct process_report *report)
{
    const char *program = report->program ? report->program : "";
    const char *slash = strrchr(program, '/');

    return add_safe(digest, slash ? slash + 1 : program);
}

static uint32_t clock_number(const struct process_report *report)
{
    return report->clock == CLOCK_NONE ? CLOCK_time : report->clock;
}

static uint32_t process_page(struct making *making, const struct process_report *report)
{
    if (!page_begin(making))
        return 0;
    report_process(&making->page, report, SITE_LINES);
    for (size_t i = 0; i < report->note_count; i++)
        page_line(&making->page, i == 0 ? "Notes" : "", report->notes[i]);
    return page_end(making);
}

static uint64_t device_bytes(const struct process_report *report)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < report->device_count; i++)
        sum += report->devices[i].used;
    return sum;
}

/* Without the shells and wrappers that only started the program. */
static int add_processes(struct making *making, const struct diagnosis *diagnosis, struct why *why)
{
    struct digest *digest = making->digest;
    size_t count = 0;

    digest->processes = mem_zalloc_array(diagnosis->process_count + 1, sizeof(*digest->processes));
    if (!digest->processes)
        return fail(why, ERR_NOMEM, "no memory for %zu processes", diagnosis->process_count);
    for (size_t i = 0; i < diagnosis->process_count; i++) {
        const struct process_report *report = &diagnosis->processes[i];

        if (report->launcher)
            continue;
        if (report->speaks)
            digest->head.main = (uint32_t)count;
        digest->processes[count++] = (struct digest_process){.pid = report->pid,
                                                             .generation = report->generation,
                                                             .depth = depth_of(diagnosis, i),
                                                             .clock = clock_number(report),
                                                             .name = add_name(digest, report),
                                                             .ended = add_safe(digest, report->ended),
                                                             .page = process_page(making, report),
                                                             .verdict = report->verdict,
                                                             .ticks = report->clock_count,
                                                             .live = report->live_bytes,
                                                             .resident = report->resident_bytes,
                                                             .device = device_bytes(report),
                                                             .growth = leaks_of(report)};
    }
    digest->head.process_count = count;
    return 0;
}

/* ---- the whole ---- */

static uint32_t add_program(struct digest *digest, const struct run *run,
                            const struct diagnosis *diagnosis)
{
    const struct process_report *first = diagnosis->process_count ? diagnosis->processes : NULL;

    if (run->own && run->own->command[0])
        return add_safe(digest, run->own->command);
    return first ? add_safe(digest,
                            first->command && first->command[0] ? first->command : first->program)
                 : 0;
}

static int fill(struct digest *out, const struct run *run, const struct diagnosis *diagnosis,
                struct why *why)
{
    struct making making = {.digest = out, .run = run};
    int err;

    page_init(&making.page, NULL, false);
    text_add(&out->texts, "", 1);
    out->head = (struct digest_head){.verdict = diagnosis->verdict,
                                     .confidence = diagnosis->confidence,
                                     .answer = add_safe(out, diagnosis->answer),
                                     .program = add_program(out, run, diagnosis)};
    err = add_processes(&making, diagnosis, why);
    if (!err)
        err = add_findings(&making, diagnosis, why);
    if (!err)
        err = add_sites(&making, diagnosis, why);
    if (!err)
        err = digest_curves(out, run, why);
    return !err && out->texts.failed ? fail(why, ERR_NOMEM, "no memory for the words") : err;
}

int digest_make(struct digest *out, const char *path, struct why *why)
{
    struct diagnosis diagnosis = {0};
    struct run run = {0};
    int err = report_load(&run, path, why);

    *out = (struct digest){0};
    if (!err)
        err = diagnose(&diagnosis, &run, why);
    if (!err)
        err = fill(out, &run, &diagnosis, why);
    diagnosis_free(&diagnosis);
    run_free(&run);
    if (err)
        digest_free(out);
    return err;
}
