/* judge.c - the verdict on one process. See judge.h, and docs/internals/rules.md for the rules.
 *
 * One look, made at any instant from the ledger alone: the same code judges a program that runs,
 * one that has ended and one that was killed. What is not in the ledger is said to be missing.
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
#include "doctor/measure/collected.h"
#include "doctor/measure/imports.h"
#include "doctor/measure/silence.h"

#define STEPS_HALF_SURE 10 /* clean after n steps: sure to n / (n + this) */
#define SURE_AT_MOST    0.95 /* while a bounded store cannot be excluded */

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
        if (!visit->findings[i].note)
            demote(&visit->findings[i], DEMOTED_early);
    report->early = true;
    visit_trail(visit, 0, FACT_OF(why_withdrawn, 0));
}

/* A leak on a device would not show in the host's memory, which alone was seen. */
static void doubt_device(struct process_report *report)
{
    if (!report->device_unmeasured || report->endless || kind_status(report->verdict) != 0)
        return;
    report->verdict = KIND_undecided;
    report->confidence = 0;
}

/* Memory of tare's own is not the program's: it is not reported. A store that has evicted nothing may have a
 * limit that was not reached. */
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
    doubt_device(report);
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
    if (model->lost[LOST_live_full] > 0)
        visit_note(visit, FACT_OF(note_table_full, 0));
}

/* Tensors are on a device, and the process does not grow by what they take: its memory is another. */
static bool grows_on_device(const struct visit *visit)
{
    return collected_device(visit->model) &&
           2 * resident_rate(&visit->series) < visit->growth.estimate;
}

/* Where memory has run out, a forecast would come too late. While the run was judged it counted: how near
 * the limit is decides what small growth means. */
static void see_the_end(struct process_report *report, struct visit *visit)
{
    const enum ran_out killed = process_end_ran_out(visit->run, visit->model);

    if (killed != RAN_OUT_NOT || visit->heap_full)
        report->forecast =
            (struct forecast){.known = false, .ran_out = killed != RAN_OUT_NOT ? killed : RAN_OUT_HEAP};
}

/* Who holds it, from the heap snapshot and from the program's source. */
static void attribute(struct process_report *report, struct visit *visit)
{
    struct fact full;

    if (!visit->places)
        return;
    heap_path_find(visit);
    full = visit->runtime->heap_full(visit, report);
    visit_note(visit, full);
    visit->heap_full = full.id != FACT_none;
    script_store_find(visit);
    store_find(visit->findings, visit->finding_count, report, visit);
}

/* The same for what was detected later: what waits for the collector has a store line, too. */
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

/* One window of each suspected column: the longest, and what became of it. */
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

/* The order, and why it is so:
 *
 * What grows is detected first. What the holder's path says comes before the store lines, because the advice
 * depends on the kind. Other explanations may rest on a store line. Findings of one cause are joined when all
 * of that is known. Their intervals are computed just before, because these are those of single lines. The
 * forecast is of all growth that does not stop by itself. The floor comes after it: how near a limit is
 * decides what small growth means, and parts of one cause count together. The other detectors examine what
 * is left, and the account is closed last. Too little evidence overrules all of it. say/ makes the words
 * when this is over.
 */
static void (*const stages[])(struct process_report *report, struct visit *visit) = {
    measure,          suspect,     detect_growth, explain_path,  attribute,      explain_source,
    group,            forecast,    apply_floor,   detect_rest,   close_account,  attribute_rest,
    see_the_end,      require_evidence, rank,     list_keepers,  add_notes,
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
