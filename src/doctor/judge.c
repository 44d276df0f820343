/* judge.c - the verdict on one process. See judge.h, and docs/verdicts.md for the rules.
 *
 * One look, made at any instant from the ledger alone: the same code judges a program that runs,
 * one that has ended and one that was killed. What is not in the ledger is said to be missing.
 */
#include "doctor/heap_path.h"
#include "doctor/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/bounds.h"
#include "doctor/closure.h"
#include "doctor/collected.h"
#include "doctor/culprits.h"
#include "doctor/device_pool.h"
#include "doctor/enough.h"
#include "doctor/evidence.h"
#include "doctor/facts.h"
#include "doctor/forecast.h"
#include "doctor/imports.h"
#include "doctor/keeping.h"
#include "doctor/kept.h"
#include "doctor/heap_open.h"
#include "doctor/lag.h"
#include "doctor/phase_list.h"
#include "doctor/power.h"
#include "doctor/reach.h"
#include "doctor/remedies.h"
#include "doctor/resident.h"
#include "doctor/script.h"
#include "doctor/script_store.h"
#include "doctor/silence.h"
#include "doctor/store.h"
#include "doctor/undecided.h"
#include "doctor/worker_ends.h"

#define BYTES_PER_ELEMENT 16 /* of a container's own storage, at least: a pointer, and room to grow */
#define STEPS_HALF_SURE 10 /* clean after n steps: sure to n / (n + this) */

static uint32_t largest_site(const struct model *model, unsigned column)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];
        const bool fits = column == SERIES_TENSORS ? site_is_tensor(site->kind)
                          : column == SERIES_MAPS
                              ? site->kind == SITE_MAP || site->kind == SITE_SHARED
                          : column == SERIES_OBJECTS
                              ? site->kind == SITE_OBJECT
                              : site->kind == SITE_HEAP &&
                                    (column == SERIES_TOTAL || site->class_index == column);

        if (fits && (best == UINT32_MAX || site->live_weight > model->sites[best].live_weight))
            best = (uint32_t)i;
    }
    return best;
}

/* ---- the other kinds ---- */

/* Queues: classes whose blocks die, and that grow all the same. */
static void report_backlogs(struct visit *visit, const struct outcome *outcomes)
{
    for (size_t i = 0; i < visit->suspect_count; i++) {
        const struct suspect *suspect = &visit->suspects[i];
        struct backlog backlog;
        struct finding *out;

        if (outcomes[suspect->column].best.state == COHORT_GROWING ||
            (i > 0 && visit->suspects[i - 1].column == suspect->column) ||
            !backlog_find(&backlog, visit->model, &visit->series, suspect,
                          visit_lives(visit, suspect->column)) ||
            script_waits(visit, backlog.cohort.site) ||
            culprits_loading(visit, backlog.cohort.site) || !(out = visit_add(visit)))
            continue;
        out->kind = KIND_retained;
        out->confidence = 0.9;
        out->rate = visit_rate(visit, backlog.cohort.rate);
        out->since = backlog.cohort.since;
        out->site = backlog.cohort.site + 1;
        out->live_bytes = visit->model->sites[backlog.cohort.site].live_weight;
        out->live_blocks = visit->model->sites[backlog.cohort.site].live_blocks;
        out->remedy = remedy_of(REMEDY_drain);
        culprits_locate(out, visit, backlog.cohort.site);
        evidence_backlog(out, visit, &backlog);
        culprits_hold(out, visit, backlog.cohort.site, backlog.cohort.events);
        if (out->kind != KIND_plateau)
            visit_grow(visit, backlog.cohort.rate);
    }
}

static void report_container(struct visit *visit)
{
    struct finding *out;
    struct grown grown;

    if (!grown_find(&grown, visit->model, &visit->series) ||
        culprits_loading(visit, grown.site) || !(out = visit_add(visit)))
        return;
    out->kind = KIND_retained;
    out->confidence = 0.9;
    out->rate = visit_rate(visit, grown.rate);
    out->site = grown.site + 1;
    out->evicted_nothing = true;
    out->since = grown.first;
    out->live_bytes = grown.bytes;
    out->live_blocks = grown.blocks;
    out->remedy = remedy_of(REMEDY_bound_container);
    culprits_locate(out, visit, grown.site);
    evidence_container(out, visit, &grown);
    culprits_hold(out, visit, grown.site, grown.bytes / BYTES_PER_ELEMENT);
    if (out->kind != KIND_plateau)
        visit_grow(visit, grown.rate);
}

static void report_resident(struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t threads = model->totals.threads_started;
    struct resident resident;
    struct finding *out;
    bool pinned;

    resident_judge(&resident, model, visit->run, &visit->series);
    if (resident.state == RESIDENT_FOLLOWS || !(out = visit_add(visit)))
        return;
    pinned =
        resident.trimmed && (double)resident.returned < RULE_TRIM_SHARE * (double)resident.held;
    /* Many threads have arenas of their own, each of which keeps what it has freed. With few, what
     * a trim cannot return is pinned by what lives beside it. */
    out->kind = threads < RULE_MANY_THREADS && (resident.state == RESIDENT_GROWS || pinned)
                    ? KIND_fragmentation
                    : KIND_framework_cache;
    out->confidence = resident.trimmed ? 0.95 : 0.8;
    out->live_bytes = resident.held;
    out->since = resident.first;
    out->remedy = remedy_for_allocator(model->allocator, threads, pinned);
    evidence_resident(out, visit, &resident);
}

/* Classes that rose and stopped, as one finding, named by the largest of them. */
static void report_plateau(struct visit *visit)
{
    struct standstill one, largest = {.column = 0};
    uint64_t total = 0, most = 0;
    struct finding *out;

    if (visit->series.ticks < visit->series.first_look)
        return;
    for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
        uint64_t bytes;

        if (!classes_standstill(&visit->series, c, &one) ||
            script_waits(visit, largest_site(visit->model, c)) || !script_stayed(visit, &one))
            continue;
        bytes = (uint64_t)((double)one.blocks * visit_size(visit, c));
        if (c == SERIES_TOTAL && total > 0) /* its parts are counted already */
            continue;
        total += bytes;
        largest = bytes > most ? one : largest;
        most = bytes > most ? bytes : most;
    }
    if (total < RULE_PLATEAU_BYTES || (double)total < RULE_PLATEAU_SHARE * visit_resident(visit) ||
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_plateau;
    out->confidence = 0.9;
    out->since = largest.first;
    out->live_bytes = total;
    out->live_blocks = largest.blocks;
    culprits_locate(out, visit, largest_site(visit->model, largest.column));
    evidence_plateau(out, visit, &largest, total);
}

/* ---- putting it together ---- */

/* Is the limit reached within a day, and within what so short a run can foresee? */
static bool limit_is_near(const struct visit *visit, const struct forecast *forecast)
{
    const double seen = (double)visit->series.ticks * visit->clock.seconds;
    const double left = sqrt(forecast->seconds_low * forecast->seconds_high);

    return forecast->known && left > 0 && left <= RULE_DAY && left <= RULE_FORESEEN * seen;
}

/* Nor is what waits for JavaScript's collector, or may have waited, told below it. */
static bool is_script_doubt(const struct visit *visit, const struct finding *finding)
{
    return (finding->kind == KIND_undecided || finding->kind == KIND_gc_lag) &&
           collected_by_script(visit->model);
}

/* Of the same line more waits for the device: what is in flight there lies in blocks of several sizes. */
static bool is_in_flight(const struct visit *visit, const struct finding *finding)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *other = &visit->findings[i];

        if (other->kind == KIND_gc_lag && other->site > 0 && other->rate.estimate > finding->rate.estimate &&
            visit_same_line(visit, other->site - 1, finding->site - 1))
            return true;
    }
    return false;
}

/* The library and the driver of a device have records in the heap of all that is on it, made where that was
 * first used. */
static bool is_record(const struct visit *visit, const struct finding *finding, double most)
{
    return collected_device(visit->model) && finding->site > 0 &&
           visit->model->sites[finding->site - 1].kind == SITE_HEAP &&
           (finding->rate.estimate < RULE_RECORD_SHARE * most || is_in_flight(visit, finding));
}

/* Rates below the floor are notes, unless a limit is near; so is, always, what is next to nothing
 * beside a larger finding: its blocks were made at one line and used at another. */
static void apply_floor(struct visit *visit, const struct forecast *forecast)
{
    const double scale = clock_scale(&visit->clock);
    const double total = visit->growth.estimate * scale, least = visit_floor(visit);
    const bool soon = limit_is_near(visit, forecast), little = visit_is_little(visit, visit->growth.estimate);
    double most = 0;
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        most = fmax(most, visit->findings[i].rate.estimate);
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding finding = visit->findings[i];

        finding.note = finding.site > 0 && ((script_bookkeeping(visit, finding.site - 1) &&
                                             finding.rate.estimate < RULE_SMALL_SHARE * most) ||
                                            script_pages(visit, finding.site - 1));
        if (kind_status(finding.kind) == 1 || is_script_doubt(visit, &finding)) {
            if (total < RULE_NOTE_RATE && !soon)
                continue;
            finding.note |= little ||
                           (total < least && !soon) || is_record(visit, &finding, most) ||
                           (finding.rate.estimate < least * fmax(1, scale) &&
                            finding.rate.estimate < RULE_SMALL_SHARE * most);
        }
        /* What a collection releases is not part of the growth that is summed up: it has its own floor. */
        finding.note |= finding.kind == KIND_gc_lag && finding.rate.estimate < least;
        visit->findings[kept++] = finding;
    }
    visit->finding_count = kept;
}

static int by_severity(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;

    if (a->note != b->note)
        return a->note ? 1 : -1;
    if (a->kind != b->kind)
        return a->kind > b->kind ? -1 : 1;
    return (a->rate.estimate < b->rate.estimate) - (a->rate.estimate > b->rate.estimate);
}

/* Too little was seen for a verdict: the findings become notes. */
static void withdraw(struct process_report *report, struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        visit->findings[i].note = true;
    report->early = true;
}

static void settle(struct process_report *report, struct visit *visit)
{
    const double n = (double)visit->series.ticks;
    struct finding *findings =
        arena_take(visit->arena, visit->finding_count + 1, sizeof(*findings));

    report->verdict = report->early ? KIND_undecided : KIND_clean;
    report->confidence = report->early ? 0 : n / (n + STEPS_HALF_SURE);
    if (!findings)
        return;
    bounds_settle(visit);
    qsort(visit->findings, visit->finding_count, sizeof(*findings), by_severity);
    for (size_t i = 0; i < visit->finding_count; i++)
        visit->findings[i].id = (unsigned)i + 1;
    memcpy(findings, visit->findings, visit->finding_count * sizeof(*findings));
    report->findings = findings;
    report->finding_count = visit->finding_count;
    if (visit->finding_count > 0 && !findings[0].note) {
        report->verdict = findings[0].kind;
        report->endless = findings[0].endless;
        report->confidence = findings[0].confidence;
    }
}

static void add_note(struct process_report *report, struct arena *arena, const char *note)
{
    const char **notes = note ? arena_take(arena, report->note_count + 1, sizeof(*notes)) : NULL;

    if (!notes)
        return;
    if (report->note_count > 0)
        memcpy(notes, report->notes, report->note_count * sizeof(*notes));
    notes[report->note_count] = note;
    report->notes = notes;
    report->note_count++;
}

static void add_notes(struct process_report *report, const struct visit *visit)
{
    const struct model *model = visit->model;
    const struct series *series = &visit->series;
    uint64_t end, whole;

    if (series->count == 0) {
        add_note(report, visit->arena, "No step was recorded, so that growth could not be judged.");
        return;
    }
    end = model->steps[model->step_count - 1].time;
    whole = end - model->steps[0].time;
    if (end - series->points[series->count - 1].time > whole / 5)
        add_note(report, visit->arena,
                 arena_print(visit->arena,
                             "The clock stopped at tick %llu, long before the end; "
                             "what came after it was not judged.",
                             (unsigned long long)series->ticks));
    add_note(report, visit->arena, script_note(visit));
    add_note(report, visit->arena, worker_ends_note(visit));
    if (model->lost[LOST_live_full] > 0)
        add_note(report, visit->arena,
                 "The table of sampled blocks was full for a time: the "
                 "survivors that were counted are not all there were.");
}

/* Tensors are on a device, and the process does not grow by what they take: its memory is another. */
static bool grows_on_device(const struct visit *visit)
{
    return collected_device(visit->model) &&
           2 * resident_rate(&visit->series) < visit->growth.estimate;
}

static void examine(struct visit *visit, struct forecast *forecast)
{
    struct outcome outcomes[SERIES_COLUMNS];

    visit->suspect_count = classes_suspect(visit->suspects, &visit->series);
    culprits_try(outcomes, visit);
    visit->growth = culprits_report(visit, outcomes);
    report_backlogs(visit, outcomes);
    report_container(visit);
    device_pool_report(visit);
    script_heap(visit);
    heap_open(visit);
    forecast_make(forecast, visit->run, grows_on_device(visit), &visit->clock, &visit->growth,
                  visit->arena);
    script_forecast(visit, forecast);
    apply_floor(visit, forecast);
    lag_report(visit);
    if (visit->finding_count == 0) {
        undecided_open(visit, outcomes, COHORT_SHORT);
        undecided_open(visit, outcomes, COHORT_SLOWING);
        undecided_early(visit);
    }
    report_resident(visit);
    arenas_report(visit);
    report_plateau(visit);
}

/* Where memory has run out, a forecast would come too late. While the run was judged it counted: how near
 * the limit is decides what small growth means. */
static void see_the_end(struct process_report *report, const struct visit *visit, const char *full)
{
    const enum ran_out killed = facts_ran_out(visit->run, visit->model);

    if (killed != RAN_OUT_NOT || full)
        report->forecast =
            (struct forecast){.known = false, .ran_out = killed != RAN_OUT_NOT ? killed : RAN_OUT_HEAP};
}

int judge_process(struct process_report *report, const struct model *model, const struct run *run,
                  struct places *places, struct arena *arena, struct why *why)
{
    struct visit *visit = mem_zalloc(sizeof(*visit));

    struct arena *scratch = arena_new();
    const char *lacks, *full = NULL;
    bool failed;

    if (!visit || !scratch) {
        mem_free(visit);
        arena_free(scratch);
        return fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid);
    }
    visit->scratch = scratch;
    visit->model = model;
    visit->run = run;
    visit->places = places;
    visit->arena = arena;
    clock_choose(&visit->clock, model, arena);
    series_build(&visit->series, model, &visit->clock, scratch);
    silence_add(visit);
    report->clock = visit->clock.name;
    report->clock_reason = visit->clock.reason;
    report->clock_count = visit->clock.ticks;
    report->forecast = (struct forecast){.known = false};
    if (visit->series.count > 0)
        examine(visit, &report->forecast);
    closure_check(visit);
    if (places) {
        script_drop_own(visit);
        add_note(report, arena, heap_path_find(visit));
        full = script_full(visit, report->ended);
        add_note(report, arena, full);
        script_store_find(visit);
        store_find(visit->findings, visit->finding_count, report, visit);
    }
    see_the_end(report, visit, full);
    kept_explain(visit);
    lacks = enough_lacks(visit);
    if (lacks)
        withdraw(report, visit);
    settle(report, visit);
    keeping_fill(report, visit);
    phase_list_fill(report, visit);
    report->answer = lacks ? arena_print(arena, "Too early to say: %s.", lacks)
                           : evidence_answer(visit, report->verdict, &report->forecast);
    add_notes(report, visit);
    failed = arena_failed(arena) || arena_failed(scratch);
    mem_free(visit);
    arena_free(scratch);
    return failed ? fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid) : 0;
}
