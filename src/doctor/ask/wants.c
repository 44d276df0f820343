/* wants.c - see wants.h. */
#include "doctor/ask/wants.h"

#include "base/arena.h"
#include "doctor/measure/collected.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/ask/early.h"
#include "doctor/judge/judge.h"
#include "doctor/held/reach.h"
#include "doctor/facts/rules.h"
#include "doctor/runtime/script.h"
#include "ledger/model.h"

#define EARLY_STEPS 16 /* from here on, what is not decided is worth a search; of slices of time more */

static bool is_object(const struct model *model, uint32_t site)
{
    return site > 0 && model->sites[site - 1].kind == SITE_OBJECT;
}

static void want_site(struct wants *wants, const struct model *model, const struct finding *finding)
{
    /* Small objects that are no longer followed may have gone, and others be in their places. */
    if (is_object(model, finding->site) && !wants->objects.watched)
        return;
    /* What an adapter tells of has no address to look for. */
    if (finding->site && site_is_reported(model->sites[finding->site - 1].kind))
        return;
    if (finding->site && !reach_known(model, finding->site - 1) &&
        wants->site_count < WANTS_SITES)
        wants->sites[wants->site_count++] = finding->site;
}

static void read_findings(struct wants *wants, const struct model *model,
                          const struct process_report *report)
{
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];

        switch (finding->kind) {
        case KIND_retained:
        case KIND_native:
        case KIND_unbounded_cache:
            wants->leaking = true;
            wants->objects_found |= is_object(model, finding->site);
            want_site(wants, model, finding);
            break;
        case KIND_fragmentation:
        case KIND_framework_cache:
            wants->late_trim = true;
            break;
        case KIND_undecided:
            wants->undecided = true;
            break;
        default:
            break;
        }
    }
    wants->trim |= wants->leaking; /* to say that it changed nothing */
}

static bool is_leak(const struct finding *finding)
{
    return kind_status(finding->kind) == 1 && !finding->note && finding->rate.low > 0;
}

/* Rates are per step, or per second if time is the clock. */
static void set_growth(struct wants *wants, const struct process_report *report, const struct model *model)
{
    const struct step_record *steps = model->steps;
    const double span =
        model->step_count > 1 ? (double)(steps[model->step_count - 1].time - steps[0].time) / 1e9 : 0;
    const double pace = report->clock == CLOCK_time ? 1 : span > 0 ? (double)report->clock_count / span : 0;

    for (size_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];
        const bool device = finding->memory == MEMORY_DEVICE;

        if (!is_leak(finding))
            continue;
        wants->growth += (device ? finding->host_rate : finding->rate).estimate * pace;
        wants->device_growth += device ? finding->rate.estimate * pace : 0;
    }
}

/* A program that is still loading its modules keeps everything. */
static bool is_loading(const struct wants *wants, const struct process_report *report)
{
    return wants->steps < (report->clock == CLOCK_time ? RULE_FIRST_SLICE
                           : wants->leaking   ? WANTS_STEPS
                                              : RULE_FIRST_LOOK);
}

/* What is not decided is worth a search, unless it is too early for any verdict. */
static bool is_open(const struct wants *wants, const struct process_report *report)
{
    return (wants->leaking || wants->undecided) &&
           wants->steps >= (report->clock == CLOCK_time ? RULE_FIRST_SLICE : EARLY_STEPS);
}

static bool may_be_garbage(const struct wants *wants)
{
    return !wants->loading &&
           (wants->leaking || (wants->undecided && wants->objects.seen >= RULE_WINDOW_MIN));
}

static bool is_wanted(const struct wants *wants, uint32_t site)
{
    bool found = false;

    for (unsigned i = 0; i < wants->site_count; i++)
        found |= wants->sites[i] == site;
    for (size_t i = 0; i < wants->early_count; i++)
        found |= wants->early[i] == site;
    return found;
}

/* A line has a site for each size class, and a finding names the largest. Asked about alone it would be
 * searched for beside the others, which count as blocks in use: if all are lost, the search seems not to
 * work. */
static void want_other_sizes(struct wants *wants, const struct model *model)
{
    for (unsigned i = 0; i < wants->site_count; i++) {
        const struct model_site *site = &model->sites[wants->sites[i] - 1];

        for (uint32_t k = 0; site->stack && k < model->site_count; k++)
            if (model->sites[k].stack == site->stack && model->sites[k].kind == site->kind &&
                model->sites[k].live_blocks > 0 && wants->early_count < MAILBOX_SITES &&
                !is_wanted(wants, k + 1) && !reach_known(model, k))
                wants->early[wants->early_count++] = k + 1;
    }
}

bool wants_look(struct wants *wants, const char *path)
{
    struct process_report report = {.pid = 0};
    struct arena *arena = arena_new();
    struct model *model = NULL;
    struct visit *visit = NULL;
    struct unseen unseen;
    struct why why;
    bool seen;

    *wants = (struct wants){.focus = 0};
    if (arena && model_load_file(&model, path, &why) == 0)
        visit = visit_new(model, NULL, NULL, arena);
    if (visit)
        judge_visit(&report, visit);
    seen = visit_is_whole(visit);
    if (seen) {
        wants->steps = report.clock_count;
        wants->python = model->code_count > 0;
        wants->script = runtime_of(model)->own_heap;
        wants->heap = script_heap_suspect(model) || script_heap_unseen(&unseen, model);
        wants->rising = script_heap_rising(model);
        set_growth(wants, &report, model);
        objects_look(&wants->objects, visit);
        wants->focus = wants->objects.focus;
        read_findings(wants, model, &report);
        want_other_sizes(wants, model);
        if (is_open(wants, &report))
            wants->early_count +=
                early_sites(model, wants->objects.watched, wants->early + wants->early_count,
                            MAILBOX_SITES - wants->early_count);
        if (wants->python)
            wants->large_count = peaks_wanted(model, wants->large);
        wants->held = wants->script && wants->leaking && script_wants_snapshot(model, &report);
        wants->loading = is_loading(wants, &report);
        wants->collect = wants->python && may_be_garbage(wants);
    }
    visit_free(visit);
    model_free(model);
    arena_free(arena);
    return seen;
}
