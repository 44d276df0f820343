/* script.c - see script.h. */
#include "doctor/runtime/script.h"

#include <signal.h>
#include <string.h>

#include "base/text.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/troughs.h"

#define HEAP_RISE 16384 /* bytes: less is the engine's own */
#define SILENT_STEPS 24
#define STEPS_LEAST  64   /* of a program whose event loop turns: with fewer, its heap still warms up */
#define EVENTS_LEAST 64   /* turns of the event loop: fewer do not say how far a run has come */
#define SEEN_UNTIL   0.75 /* of a run: a collection after it has seen the end */
#define END_SHARE    0.1  /* of a run: its end; the least in use there is right after a young collection */

bool script_cleared(const struct visit *visit, uint32_t site)
{
    struct collected collected;

    collected_of(&collected, visit->model, site);
    return collected_lag(&collected) || (collected.late && collected.released > collected.alive);
}

bool script_tensors_go(const struct visit *visit)
{
    const struct model *model = visit->model;
    uint64_t released = 0, alive = 0;

    for (uint32_t i = 0; i < model->site_count; i++) {
        struct collected collected;

        if (model->sites[i].kind != SITE_TENSOR_MANAGED)
            continue;
        collected_of(&collected, model, i);
        if (collected.asked && !collected.late) {
            released += collected.released;
            alive += collected.alive;
        }
    }
    return released >= RULE_SURVIVORS && released >= RULE_TENSORS_GO * alive;
}

/* Allocated by the engine itself, which is the program; the C++ runtime may be in between. */
static bool is_engines(const struct model *model, uint32_t site)
{
    const struct model_frame *frame = model_site_frame(model, site);

    for (unsigned i = 0; i < 3 && frame; i++) {
        if (frame->kind != FRAME_NATIVE)
            return false;
        if (frame->unit > 0 &&
            strcmp(model->modules[frame->unit - 1].path, model->program) == 0)
            return true;
        frame = model_frame(model, frame->caller);
    }
    return false;
}

bool script_waits(const struct visit *visit, uint32_t site)
{
    struct collected collected;

    if (is_engines(visit->model, site))
        return true;
    collected_of(&collected, visit->model, site);
    return !collected.asked || collected.released >= collected.alive;
}

bool script_stayed(const struct visit *visit, const struct standstill *still)
{
    const struct model *model = visit->model;
    double units = 0;

    if (still->column >= LEDGER_CLASSES && still->column != SERIES_TOTAL)
        return true;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];
        const struct model_site *site =
            block->site > 0 && block->site <= model->site_count ? &model->sites[block->site - 1] : NULL;
        const uint64_t tick = series_tick(&visit->series, block->birth);

        if (site && site->kind == SITE_HEAP && block->size > 0 && tick >= still->first &&
            tick <= still->last + 1 &&
            (still->column == SERIES_TOTAL || site->class_index == still->column))
            units += (double)block->weight / (double)block->size;
    }
    return units * 3 >= (double)still->blocks;
}

bool script_bookkeeping(const struct visit *visit, uint32_t site)
{
    return model_frame_kind(model_site_frame(visit->model, site)) == FRAME_NATIVE;
}

bool script_pages(const struct visit *visit, uint32_t site)
{
    return visit->clock.id == CLOCK_time && script_bookkeeping(visit, site) && is_engines(visit->model, site);
}

bool script_is_own(const struct finding *finding)
{
    static const char *const parts[] = {"v8::internal::SamplingHeapProfiler",
                                        "v8::internal::HeapObjectsMap", "v8::internal::HeapProfiler"};

    for (size_t at = 0; at < finding->allocated_count && at < 3; at++)
        for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
            if (finding->allocated_at[at].function &&
                strncmp(finding->allocated_at[at].function, parts[i], strlen(parts[i])) == 0)
                return true;
    return false;
}

static bool any_retained(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].kind == KIND_retained && !visit->findings[i].note)
            return true;
    return false;
}

struct fact script_note(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t *gauges = model->step_count ? model->steps[model->step_count - 1].gauges : NULL;
    uint64_t held, unused, collected;

    if (!gauges)
        return FACT_OF(none, 0);
    held = gauges[GAUGE_tensors];
    unused = gauges[GAUGE_tensors_unused]; /* the framework counts them, and the collector has most of them */
    collected = gauges[GAUGE_tensors_collected];
    if (unused >= RULE_FIRST_LOOK && unused >= held && !any_retained(visit))
        return FACT_OF(note_tensors_unused, unused, held);
    if (collected >= RULE_FIRST_LOOK && collected >= held)
        return FACT_OF(note_tensors_collected, collected, held);
    return FACT_OF(none, 0);
}

/* ---- the heap of JavaScript ---- */

uint32_t script_maker(const struct model *model)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].kind == SITE_SCRIPT &&
            model->sites[i].live_weight > 0 &&
            (best == UINT32_MAX || model->sites[i].live_weight > model->sites[best].live_weight))
            best = (uint32_t)i;
    return best;
}

/* Nothing has ticked but slices of time: there are few of these where little is allocated but objects. */
static bool is_silent(const struct model *model)
{
    const struct step_record *last = &model->steps[model->step_count - 1];

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (last->clock[i] > 0)
            return false;
    return true;
}

static uint64_t rise_needed(const struct step_record *last)
{
    return last->clock[CLOCK_request] > 0 || last->clock[CLOCK_turn] >= RULE_EVENTS_MANY ? RULE_HEAP_SERVED
                                                                                        : RULE_HEAP_STEADY;
}

/* How far the run has come at this step: by requests or turns of the event loop, which come evenly; else by
 * slices of time. Step records do not: the first seconds have more of them than the rest of the run. */
static uint64_t progress(const struct step_record *step, const struct step_record *last)
{
    return last->clock[CLOCK_request] > 0             ? step->clock[CLOCK_request]
           : last->clock[CLOCK_turn] >= EVENTS_LEAST ? step->clock[CLOCK_turn]
                                                      : step->last;
}

/* The least in use over a part of the run. `from` and `to` are shares of its progress. UINT64_MAX: it was
 * never read. */
static uint64_t least_used(const struct model *model, double from, double to)
{
    const struct step_record *last = &model->steps[model->step_count - 1];
    const double end = (double)progress(last, last);
    uint64_t least = UINT64_MAX;

    for (size_t i = 0; i < model->step_count; i++) {
        const uint64_t used = model->steps[i].gauges[GAUGE_heap_used];
        const double at = (double)progress(&model->steps[i], last);

        if (at >= from * end && at <= to * end && used > 0 && used < least)
            least = used;
    }
    return least;
}

/* The share of the run after which the latest collection came; 0: none came. */
static double last_look(const struct model *model)
{
    const struct step_record *last = &model->steps[model->step_count - 1];
    size_t i = model->step_count - 1;

    if (last->gauges[GAUGE_heap_kept] == 0)
        return 0;
    while (i > 0 && model->steps[i - 1].gauges[GAUGE_collections] == last->gauges[GAUGE_collections])
        i--;
    return (double)progress(&model->steps[i], last) / (double)progress(last, last);
}

bool script_heap_unseen(struct unseen *out, const struct model *model)
{
    const size_t count = model->step_count;
    double look;

    if (!runtime_of(model)->own_heap || count < STEPS_LEAST)
        return false;
    look = last_look(model);
    out->left = model->steps[count - 1].gauges[GAUGE_heap_kept];
    out->now = least_used(model, 1 - END_SHARE, 1);
    out->share = 1 - look;
    return look > 0 && look < SEEN_UNTIL && out->now != UINT64_MAX && out->now >= out->left + RULE_HEAP_BYTES;
}

/* The size at step ends between collections says little, but a heap that does not grow at all needs
 * no collection to be judged. */
bool script_heap_suspect(const struct model *model)
{
    const size_t count = model->step_count;
    uint64_t before, now;

    if (!runtime_of(model)->own_heap || count == 0 || count < (is_silent(model) ? SILENT_STEPS : STEPS_LEAST))
        return false;
    before = least_used(model, 0.25, 0.5);
    now = least_used(model, 0.75, 1);
    return before != UINT64_MAX && now != UINT64_MAX && now > before &&
           now - before >= rise_needed(&model->steps[count - 1]);
}

bool script_heap_rising(const struct model *model)
{
    const uint64_t asked = troughs_asked(model);
    uint64_t now = 0, time = 0;

    for (size_t i = model->step_count; i-- > 0 && model->steps[i].last >= asked;) {
        const struct step_record *step = &model->steps[i];

        if (now == 0) {
            now = step->gauges[GAUGE_heap_kept];
            time = step->time;
        } else if (now == step->gauges[GAUGE_heap_kept]) {
            time = step->time; /* it has been so since then */
        } else if (time - step->time >= RULE_HEAP_MOMENT) {
            return step->gauges[GAUGE_heap_kept] > 0 && now > step->gauges[GAUGE_heap_kept] + HEAP_RISE;
        }
    }
    return false;
}

bool script_wants_snapshot(const struct model *model, const struct process_report *report)
{
    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_SNAPSHOT)
            return false;
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].kind == KIND_retained && !report->findings[i].note)
            return true;
    return false;
}

const struct finding *script_heap_finding(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].heap)
            return &visit->findings[i];
    return NULL;
}

uint64_t script_gauge(const struct model *model, enum gauge_id gauge)
{
    return model->step_count ? model->steps[model->step_count - 1].gauges[gauge] : 0;
}

/* V8 ends the process itself, by a signal, when a collection has left no room. */
static bool gave_up(const struct process_report *report)
{
    return report->ending == ENDING_SIGNAL &&
           (report->ending_number == SIGABRT || report->ending_number == SIGTRAP ||
            report->ending_number == SIGILL);
}

struct fact script_full(const struct visit *visit, const struct process_report *report)
{
    const struct finding *finding = script_heap_finding(visit);
    const uint64_t limit = script_gauge(visit->model, GAUGE_heap_limit);
    const uint64_t used = script_gauge(visit->model, GAUGE_heap_used);

    if (!finding || !gave_up(report) || used < limit / 3)
        return FACT_OF(none, 0);
    return FACT_OF(note_heap_full, used, limit);
}
