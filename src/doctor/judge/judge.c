/* judge.c - the verdict on one process. See judge.h, and docs/internals/rules.md for the rules.
 *
 * It needs only the ledger, so the same code judges a program that still runs, one that has ended and
 * one that was killed. The report says what the ledger lacks.
 */
#include "doctor/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "doctor/detect/culprits.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/resident.h"
#include "doctor/facts/process_end.h"
#include "doctor/held/heap_path.h"
#include "doctor/held/reach.h"
#include "doctor/held/script_store.h"
#include "doctor/held/store.h"
#include "doctor/judge/bounds.h"
#include "doctor/judge/enough.h"
#include "doctor/judge/floor.h"
#include "doctor/judge/forecast.h"
#include "doctor/judge/explain.h"
#include "doctor/judge/group.h"
#include "doctor/judge/keeping.h"
#include "doctor/judge/native_cause.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/imports.h"
#include "doctor/measure/silence.h"
#include "doctor/source/places.h"
#include "ledger/model.h"
#include "ledger/site_kind.h"

#define STEPS_HALF_SURE 10   /* the confidence of "clean" after n steps is n / (n + this) */
#define SURE_AT_MOST    0.95 /* confidence of a leak that may be a bounded store */

static int by_severity(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;

    if (a->note != b->note)
        return a->note ? 1 : -1;
    if (a->kind != b->kind)
        return a->kind > b->kind ? -1 : 1;
    return (a->rate.estimate < b->rate.estimate) - (a->rate.estimate > b->rate.estimate);
}

/* Too little was observed for a verdict: the findings become notes. */
static void withdraw(struct process_report *report, struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note)
            demote(&visit->findings[i], DEMOTED_early);
    report->early = true;
    visit_trail(visit, 0, FACT_OF(why_withdrawn, 0));
}

/* Memory on the device was not measured. A leak there does not show in the host's memory, so "clean"
 * becomes "undecided". */
static void doubt_unmeasured_device(struct process_report *report)
{
    if (!report->device_unmeasured || report->endless || kind_status(report->verdict) != 0)
        return;
    report->verdict = KIND_undecided;
    report->confidence = 0;
}

/* Drops findings about tare's own memory. Limits the confidence of a store that has evicted nothing,
 * because it may have a limit that it did not reach. */
static void settle(struct visit *visit)
{
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (finding->demoted == DEMOTED_own)
            continue;
        if (finding->evicted_nothing)
            finding->confidence = fmin(finding->confidence, SURE_AT_MOST);
        finding->rate = interval_in_order(finding->rate);
        group_alone(visit, finding);
        visit->findings[kept++] = *finding;
    }
    visit->finding_count = kept;
}

static void rank(struct process_report *report, struct visit *visit)
{
    const double n = (double)visit->series.ticks;
    struct finding *findings;

    settle(visit);
    findings = arena_take(visit->arena, visit->finding_count + 1, sizeof(*findings));
    report->verdict = report->early ? KIND_undecided : KIND_clean;
    report->confidence = report->early ? 0 : n / (n + STEPS_HALF_SURE);
    if (!findings)
        return;
    qsort(visit->findings, visit->finding_count, sizeof(*findings), by_severity);
    for (size_t i = 0; i < visit->finding_count; i++) {
        visit->findings[i].id = (unsigned)i + 1;
        if (!visit->findings[i].note)
            visit_trail(visit, visit->findings[i].site,
                        (struct fact){.id = FACT_why_reported, .n = {visit->findings[i].kind},
                                      .rate = visit->findings[i].rate.estimate});
    }
    memcpy(findings, visit->findings, visit->finding_count * sizeof(*findings));
    report->findings = findings;
    report->finding_count = visit->finding_count;
    if (visit->finding_count > 0 && !findings[0].note) {
        report->verdict = findings[0].kind;
        report->endless = findings[0].endless;
        report->confidence = findings[0].confidence;
    }
    doubt_unmeasured_device(report);
}

/* Of the blocks that are on the device at the end: the site with most bytes, and their sum. */
static uint32_t largest_on(const struct model *model, uint32_t device, uint64_t *sum)
{
    uint32_t best = UINT32_MAX;

    *sum = 0;
    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];

        if (!site_is_device(site->kind) || site->class_index != device)
            continue;
        *sum += site->live_weight;
        if (best == UINT32_MAX || site->live_weight > model->sites[best].live_weight)
            best = i;
    }
    return best;
}

/* A device that refused a request: what fills it. */
static void note_full_device(struct visit *visit, const struct device_record *record)
{
    const struct place *places = NULL;
    uint64_t sum, percent = 0;
    const uint32_t site = largest_on(visit->model, record->index, &sum);
    size_t count = 0;

    if (record->failed_bytes == 0)
        return;
    if (site != UINT32_MAX && visit->places && sum > 0) {
        places_of(visit->places, visit->model->sites[site].stack, &places, &count);
        percent = visit->model->sites[site].live_weight * 100 / sum;
    }
    visit_note(visit, (struct fact){.id = FACT_note_device_full,
                                    .n = {record->index, record->failed_bytes, record->failed_used,
                                          record->failed_taken, record->failed_ordinal, percent},
                                    .place = count > 0 ? places : NULL});
}

static void note_process(struct visit *visit)
{
    const struct model *model = visit->model;
    const struct series *series = &visit->series;
    uint64_t end, whole;

    if (series->count == 0) {
        visit_note(visit, FACT_OF(note_no_steps, 0));
        return;
    }
    end = model->steps[model->step_count - 1].time;
    whole = end - model->steps[0].time;
    if (end - series->points[series->count - 1].time > whole / 5)
        visit_note(visit, FACT_OF(note_clock_stopped, series->ticks));
    visit->runtime->add_notes(visit);
    for (size_t i = 0; i < model->device_count; i++)
        note_full_device(visit, &model->devices[i].record);
    if (model->lost[LOST_live_full] > 0)
        visit_note(visit, FACT_OF(note_table_full, 0));
}

/* What grows is tensors that their framework counts, and they are on a device: the process's resident memory
 * grows by less than half of the growth. */
static bool grows_on_device(const struct visit *visit)
{
    return collected_device(visit->model) &&
           2 * resident_rate(&visit->series) < visit->growth.estimate;
}

/* If memory has run out, the report says so instead of a forecast. This stage is late because the floor
 * needs the forecast. */
static void replace_forecast(struct process_report *report, struct visit *visit)
{
    const enum ran_out killed = process_end_ran_out(visit->run, visit->model);

    if (killed != RAN_OUT_NOT || visit->heap_full)
        report->forecast =
            (struct forecast){.known = false, .ran_out = killed != RAN_OUT_NOT ? killed : RAN_OUT_HEAP};
}

/* Finds holders in the heap snapshot, and store lines in the program's source. */
static void attribute(struct process_report *report, struct visit *visit)
{
    struct fact full;

    heap_path_refused(visit);
    if (!visit->places)
        return;
    heap_path_find(visit);
    full = visit->runtime->heap_full(visit, report);
    visit_note(visit, full);
    visit->heap_full = full.id != FACT_none;
    script_store_find(visit);
    store_find(visit->findings, visit->finding_count, report, visit);
}

/* Finds store lines for the findings that were detected later: gc-lag has a store line too. */
static void attribute_rest(struct process_report *report, struct visit *visit)
{
    if (visit->places)
        store_find(visit->findings, visit->finding_count, report, visit);
}

/* ---- the stages ---- */

static void measure(struct process_report *report, struct visit *visit)
{
    clock_choose(&visit->clock, visit->model, visit->arena);
    series_build(&visit->series, visit->model, &visit->clock, visit->scratch);
    silence_add(visit);
    report->clock = visit->clock.id;
    report->clock_reason = visit->clock.reason;
    report->clock_count = visit->clock.ticks;
    visit_trail(visit, 0, (struct fact){.id = FACT_why_clock, .n = {visit->series.ticks},
                                        .text = visit->clock.reason});
}

/* Adds to the trail, for each suspected column, its longest window and the outcome of its cohort. */
static void trail_suspects(struct visit *visit)
{
    size_t columns = 0;

    for (size_t i = 0; i < visit->suspect_count; i++)
        columns += i == 0 || visit->suspects[i].column != visit->suspects[i - 1].column;
    visit_trail(visit, 0, FACT_OF(why_rising, columns, SERIES_COLUMNS));
    for (size_t i = 0; i < visit->suspect_count; i++) {
        const struct suspect *suspect = &visit->suspects[i];
        const struct cohort *best = &visit->outcomes[suspect->column].best;

        if (i > 0 && suspect->column == visit->suspects[i - 1].column)
            continue;
        visit_trail(visit, 0, (struct fact){.id = FACT_why_suspected, .n = {suspect->column, suspect->from},
                                            .rate = suspect->growth});
        visit_trail(visit, best->site + 1,
                    (struct fact){.id = FACT_why_cohort,
                                  .n = {suspect->column, best->state, best->old_alive, best->old_released,
                                        best->events},
                                  .rate = best->rate.estimate, .least = best->tail});
    }
}

static void suspect(struct process_report *report, struct visit *visit)
{
    (void)report;
    if (visit->series.count == 0)
        return;
    visit->suspect_count = classes_suspect(visit->suspects, &visit->series);
    culprits_try(visit);
    trail_suspects(visit);
}

static void detect_growth(struct process_report *report, struct visit *visit)
{
    (void)report;
    detect_all(visit, DETECT_GROWTH);
}

static void forecast(struct process_report *report, struct visit *visit)
{
    report->forecast = (struct forecast){.known = false};
    if (visit->series.count == 0)
        return;
    forecast_make(&report->forecast, visit->run, grows_on_device(visit), &visit->clock, &visit->growth,
                  visit->arena);
    forecast_heap(&report->forecast, visit);
    forecast_devices(&report->forecast, visit);
}

static void apply_floor(struct process_report *report, struct visit *visit)
{
    if (visit->series.count > 0)
        floor_apply(visit, &report->forecast);
}

static void detect_rest(struct process_report *report, struct visit *visit)
{
    (void)report;
    detect_all(visit, DETECT_REST);
}

static void close_account(struct process_report *report, struct visit *visit)
{
    (void)report;
    detect_all(visit, DETECT_ACCOUNT);
}

static void explain_path(struct process_report *report, struct visit *visit)
{
    (void)report;
    explain_all(visit, EXPLAIN_PATH);
}

static void explain_source(struct process_report *report, struct visit *visit)
{
    (void)report;
    native_cause_find(visit);
    explain_all(visit, EXPLAIN_SOURCE);
}

static void group(struct process_report *report, struct visit *visit)
{
    (void)report;
    bounds_settle(visit);
    group_findings(visit);
}

static void require_evidence(struct process_report *report, struct visit *visit)
{
    visit->lacks = enough_lacks(visit);
    if (visit->lacks.id != FACT_none)
        withdraw(report, visit);
}

static void list_keepers(struct process_report *report, struct visit *visit)
{
    keeping_fill(report, visit);
}

static void add_notes(struct process_report *report, struct visit *visit)
{
    (void)report;
    note_process(visit);
}

/* Why the stages have this order:
 *
 * detect_growth     finds what grows.
 * explain_path      before attribute: which store line to look for depends on the kind.
 * explain_source    after attribute: it may use the store line. It first finds the native code that made the
 *                   memory.
 * group             joins findings of one cause, when kind, holder and store line are known. It first settles
 *                   the intervals, which belong to single lines.
 * forecast          counts all growth that does not stop by itself.
 * apply_floor       after forecast: small growth matters if a limit is near. After group: the parts of one
 *                   cause count together.
 * detect_rest       examines what is left; close_account then checks that everything is explained.
 * require_evidence  overrules all of it if too little was observed.
 *
 * say/ adds the words afterwards.
 */
static void (*const stages[])(struct process_report *report, struct visit *visit) = {
    measure,          suspect,     detect_growth, explain_path,  attribute,      explain_source,
    group,            forecast,    apply_floor,   detect_rest,   close_account,  attribute_rest,
    replace_forecast, require_evidence, rank,     list_keepers,  add_notes,
};

void judge_visit(struct process_report *report, struct visit *visit)
{
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++)
        stages[i](report, visit);
}

int judge_process(struct process_report *report, const struct model *model, const struct run *run,
                  struct arena *arena, struct why *why)
{
    struct visit *visit = visit_new(model, run, NULL, arena);
    int err;

    if (visit)
        judge_visit(report, visit);
    err = visit_is_whole(visit) ? 0 : fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid);
    visit_free(visit);
    return err;
}
