/* judge.c - the verdict on one process. See judge.h, and docs/verdicts.md for the rules.
 *
 * One look, made at any instant from the ledger alone: the same code judges a program that runs,
 * one that has ended and one that was killed. What is not in the ledger is said to be missing.
 */
#include "doctor/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/culprits.h"
#include "doctor/evidence.h"
#include "doctor/forecast.h"
#include "doctor/power.h"
#include "doctor/remedies.h"
#include "ledger/writer.h"

#define STEPS_HALF_SURE 10 /* clean after n steps: sure to n / (n + this) */

const struct lives *visit_lives(struct visit *visit, unsigned column)
{
    struct lives *lives = &visit->lives[column];

    if (!lives->items)
        lives_collect(lives, visit->model, &visit->series, column, visit->arena);
    return lives;
}

struct finding *visit_add(struct visit *visit)
{
    if (visit->finding_count == VISIT_FINDINGS_MAX)
        return NULL;
    return &visit->findings[visit->finding_count++];
}

static uint32_t largest_site(const struct model *model, unsigned column)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];
        const bool fits = column == SERIES_MAPS
                              ? site->kind == SITE_MAP || site->kind == SITE_SHARED
                              : site->kind == SITE_HEAP &&
                                    (column == SERIES_TOTAL || site->class_index == column);

        if (fits && (best == UINT32_MAX || site->live_weight > model->sites[best].live_weight))
            best = (uint32_t)i;
    }
    return best;
}

/* ---- what is not certain ---- */

static double mean_size(const struct visit *visit, unsigned column)
{
    const uint64_t all = model_live_blocks(visit->model);
    uint64_t blocks;

    if (column == SERIES_MAPS)
        return (double)visit->series.page;
    if (column == SERIES_TOTAL)
        return all ? (double)model_live_bytes(visit->model) / (double)all : 0;
    blocks = model_class_blocks(visit->model, column);
    return blocks ? (double)model_class_bytes(visit->model, column) / (double)blocks
                  : (double)ledger_class_floor(column);
}

static void set_rate(struct finding *out, const struct visit *visit, double per_tick)
{
    const double rate = per_tick * clock_scale(&visit->clock);

    out->rate = (struct interval){rate, 0, 2 * rate};
}

/* All columns in this state as one finding, named by the one that grows fastest. */
static void report_open(struct visit *visit, const struct outcome *outcomes,
                        enum cohort_state state)
{
    const struct outcome *largest = NULL;
    double total = 0, most = 0;
    struct finding *out;

    for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
        const struct outcome *one = &outcomes[c];
        double rate;

        if (!one->suspected || one->best.state != state)
            continue;
        rate = one->suspect->growth * mean_size(visit, c);
        if (c == SERIES_TOTAL && largest) /* its parts are counted already */
            continue;
        total += rate;
        largest = rate > most ? one : largest;
        most = rate > most ? rate : most;
    }
    if (!largest || total * clock_scale(&visit->clock) < RULE_FINDING_RATE ||
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = largest->suspect->from + 1;
    out->remedy = remedy_of(REMEDY_longer);
    set_rate(out, visit, total);
    if (largest->best.alive > 0)
        culprits_locate(out, visit, largest->best.site);
    if (state == COHORT_SLOWING) {
        out->more_steps = visit->series.ticks;
        evidence_slowing(out, visit, &largest->best);
        return;
    }
    out->more_steps =
        power_more(largest->suspect->growth, fmin(1, largest->suspect->growth), largest->best.sites,
                   visit->series.ticks + 1 - largest->best.first);
    evidence_short(out, visit, &largest->best);
}

/* Fewer ticks than the first look needs: say what was kept so far if every tick kept something. */
static void report_early(struct visit *visit)
{
    const struct series *series = &visit->series;
    const size_t begin = series_after(series, 1);
    const struct point *first, *last;
    struct finding *out;
    double rate, blocks;
    size_t rises = 0;

    if (series->ticks >= series->first_look || begin + 2 > series->count)
        return;
    first = &series->points[begin];
    last = &series->points[series->count - 1];
    for (size_t i = begin + 1; i < series->count; i++)
        rises += series->points[i].live_min > series->points[i - 1].live_min;
    if (last->tick == first->tick || last->live_min <= first->live_min ||
        rises * 4 < (series->count - begin - 1) * 3)
        return;
    rate = (double)(last->live_min - first->live_min) / (double)(last->tick - first->tick);
    blocks = ((double)last->least[SERIES_TOTAL] - (double)first->least[SERIES_TOTAL]) /
             (double)(last->tick - first->tick);
    if (rate * clock_scale(&visit->clock) < RULE_FINDING_RATE || !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = first->tick;
    out->more_steps = power_first(series, blocks);
    out->remedy = remedy_of(REMEDY_longer);
    set_rate(out, visit, rate);
    culprits_locate(out, visit, largest_site(visit->model, SERIES_TOTAL));
    evidence_early(out, visit);
}

/* ---- the other kinds ---- */

static void add_growth(struct visit *visit, const struct slope *rate)
{
    visit->growth.estimate += rate->estimate;
    visit->growth.low += rate->low;
    visit->growth.high += rate->high;
}

static struct interval told(const struct visit *visit, const struct slope *rate)
{
    const double scale = clock_scale(&visit->clock);

    return (struct interval){rate->estimate * scale, rate->low * scale, rate->high * scale};
}

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
            !(out = visit_add(visit)))
            continue;
        out->kind = KIND_retained;
        out->confidence = 0.9;
        out->rate = told(visit, &backlog.cohort.rate);
        out->since = backlog.cohort.since;
        out->site = backlog.cohort.site + 1;
        out->live_bytes = visit->model->sites[backlog.cohort.site].live_weight;
        out->live_blocks = visit->model->sites[backlog.cohort.site].live_blocks;
        out->remedy = remedy_of(REMEDY_drain);
        add_growth(visit, &backlog.cohort.rate);
        culprits_locate(out, visit, backlog.cohort.site);
        evidence_backlog(out, visit, &backlog);
    }
}

static void report_container(struct visit *visit)
{
    struct finding *out;
    struct grown grown;

    if (!grown_find(&grown, visit->model, &visit->series) || !(out = visit_add(visit)))
        return;
    out->kind = KIND_retained;
    out->confidence = 0.9;
    out->rate = told(visit, &grown.rate);
    out->site = grown.site + 1;
    out->evicted_nothing = true;
    out->since = grown.first;
    out->live_bytes = grown.bytes;
    out->live_blocks = grown.blocks;
    out->remedy = remedy_of(REMEDY_bound_container);
    add_growth(visit, &grown.rate);
    culprits_locate(out, visit, grown.site);
    evidence_container(out, visit, &grown);
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

        if (!classes_standstill(&visit->series, c, &one))
            continue;
        bytes = (uint64_t)((double)one.blocks * mean_size(visit, c));
        if (c == SERIES_TOTAL && total > 0) /* its parts are counted already */
            continue;
        total += bytes;
        largest = bytes > most ? one : largest;
        most = bytes > most ? bytes : most;
    }
    if (total < RULE_PLATEAU_BYTES || !(out = visit_add(visit)))
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

static bool is_leak(enum kind kind)
{
    return kind == KIND_retained || kind == KIND_native || kind == KIND_unbounded_cache;
}

/* The floor counts for all that grows together; a limit reached within a day lifts it. */
static void apply_floor(struct visit *visit, const struct forecast *forecast)
{
    const double scale = clock_scale(&visit->clock);
    const double total = visit->growth.estimate * scale;
    const bool soon = forecast->known && forecast->seconds_high > 0 &&
                      sqrt(forecast->seconds_low * forecast->seconds_high) <= RULE_DAY;
    double most = 0;
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        most = fmax(most, visit->findings[i].rate.estimate);
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding finding = visit->findings[i];

        if (is_leak(finding.kind) && !soon) {
            if (total < RULE_NOTE_RATE)
                continue;
            finding.note =
                total < RULE_FINDING_RATE || (finding.rate.estimate < RULE_NOTE_RATE &&
                                              finding.rate.estimate < RULE_SMALL_SHARE * most);
        }
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

static void settle(struct process_report *report, struct visit *visit)
{
    const double n = (double)visit->series.ticks;
    struct finding *findings =
        arena_take(visit->arena, visit->finding_count + 1, sizeof(*findings));

    report->verdict = KIND_clean;
    report->confidence = n / (n + STEPS_HALF_SURE);
    if (!findings)
        return;
    qsort(visit->findings, visit->finding_count, sizeof(*findings), by_severity);
    for (size_t i = 0; i < visit->finding_count; i++)
        visit->findings[i].id = (unsigned)i + 1;
    memcpy(findings, visit->findings, visit->finding_count * sizeof(*findings));
    report->findings = findings;
    report->finding_count = visit->finding_count;
    if (visit->finding_count > 0 && !findings[0].note) {
        report->verdict = findings[0].kind;
        report->confidence = findings[0].confidence;
    }
}

static void add_note(struct process_report *report, struct arena *arena, const char *note)
{
    const char **notes = arena_take(arena, report->note_count + 1, sizeof(*notes));

    if (!notes || !note)
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
    if (model->lost[LOST_live_full] > 0)
        add_note(report, visit->arena,
                 "The table of sampled blocks was full for a time: the "
                 "survivors that were counted are not all there were.");
}

static void examine(struct visit *visit, struct forecast *forecast)
{
    struct outcome outcomes[SERIES_COLUMNS];

    visit->suspect_count = classes_suspect(visit->suspects, &visit->series);
    culprits_try(outcomes, visit);
    visit->growth = culprits_report(visit, outcomes);
    report_backlogs(visit, outcomes);
    report_container(visit);
    forecast_make(forecast, visit->run, &visit->clock, &visit->growth, visit->arena);
    apply_floor(visit, forecast);
    if (visit->finding_count == 0) {
        report_open(visit, outcomes, COHORT_SHORT);
        report_open(visit, outcomes, COHORT_SLOWING);
        report_early(visit);
    }
    report_resident(visit);
    report_plateau(visit);
}

int judge_process(struct process_report *report, const struct model *model, const struct run *run,
                  struct places *places, struct arena *arena, struct why *why)
{
    struct visit *visit = mem_zalloc(sizeof(*visit));

    if (!visit)
        return fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid);
    visit->model = model;
    visit->run = run;
    visit->places = places;
    visit->arena = arena;
    clock_choose(&visit->clock, model, arena);
    series_build(&visit->series, model, &visit->clock, arena);
    report->clock = visit->clock.name;
    report->clock_reason = visit->clock.reason;
    report->clock_count = visit->clock.ticks;
    report->forecast = (struct forecast){.known = false};
    if (visit->series.count > 0)
        examine(visit, &report->forecast);
    settle(report, visit);
    report->answer = evidence_answer(visit, report->verdict, &report->forecast);
    add_notes(report, visit);
    mem_free(visit);
    return arena_failed(arena)
               ? fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid)
               : 0;
}
