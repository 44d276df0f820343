/* script.c - see script.h. */
#include "doctor/script.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/culprits.h"
#include "doctor/evidence.h"
#include "doctor/forecast.h"
#include "doctor/remedies.h"
#include "doctor/troughs.h"

#define HEAP_RISE 16384 /* bytes: less is the engine's own */
#define SNAPSHOT_MOMENT (32u << 20) /* bytes of a heap in use */
#define SILENT_STEPS 24
#define SNAPSHOT_LAST (40u << 20)
#define SNAPSHOT_SCARCE (96u << 20) /* of one whose limit is near */

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
    uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    for (unsigned i = 0; i < 3 && stack > 0 && stack <= model->frame_count; i++) {
        const struct model_frame *frame = &model->frames[stack - 1];

        if (frame->kind != FRAME_NATIVE)
            return false;
        if (frame->unit > 0 &&
            strcmp(model->modules[frame->unit - 1].path, model->program) == 0)
            return true;
        stack = frame->caller;
    }
    return false;
}

bool script_waits(const struct visit *visit, uint32_t site)
{
    struct collected collected;

    if (!collected_by_script(visit->model))
        return false;
    if (is_engines(visit->model, site))
        return true;
    collected_of(&collected, visit->model, site);
    return !collected.asked || collected.released >= collected.alive;
}

bool script_stayed(const struct visit *visit, const struct standstill *still)
{
    const struct model *model = visit->model;
    double units = 0;

    if (!collected_by_script(model) || (still->column >= LEDGER_CLASSES && still->column != SERIES_TOTAL))
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
    const struct model *model = visit->model;
    const uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    return collected_by_script(model) && stack > 0 && stack <= model->frame_count &&
           model->frames[stack - 1].kind == FRAME_NATIVE;
}

bool script_pages(const struct visit *visit, uint32_t site)
{
    return visit->clock.id == CLOCK_time && script_bookkeeping(visit, site) && is_engines(visit->model, site);
}

static bool is_profilers(const struct finding *finding)
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

void script_drop_own(struct visit *visit)
{
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        if (!is_profilers(&visit->findings[i]))
            visit->findings[kept++] = visit->findings[i];
    visit->finding_count = kept;
}

/* Tensors that no operation has used: the framework counts them, and the collector has most of them. */
static const char *unused_note(const struct visit *visit, const uint64_t *gauges)
{
    const uint64_t unused = gauges[GAUGE_tensors_unused], held = gauges[GAUGE_tensors];

    if (unused < RULE_FIRST_LOOK || unused < held)
        return NULL;
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].kind == KIND_retained && !visit->findings[i].note)
            return NULL; /* then some are held by the program */
    return arena_print(visit->arena,
                       "tf.memory() counts %llu tensors; its backend has %llu. The other %llu were never "
                       "disposed and never used by an operation: until one uses them their data are "
                       "memory of JavaScript, which the collector frees. Only the count grows by them.",
                       (unsigned long long)(unused + held), (unsigned long long)held,
                       (unsigned long long)unused);
}

const char *script_note(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t *gauges = model->step_count ? model->steps[model->step_count - 1].gauges : NULL;
    const char *unused = gauges ? unused_note(visit, gauges) : NULL;

    if (unused)
        return unused;
    if (!gauges || gauges[GAUGE_tensors_collected] < RULE_FIRST_LOOK ||
        gauges[GAUGE_tensors_collected] < gauges[GAUGE_tensors])
        return NULL;
    return arena_print(visit->arena,
                       "tf.memory() counts about %llu tensors that were never disposed and whose "
                       "data the collector has released all the same; about %llu are alive. Only "
                       "the count grows by them, not the memory.",
                       (unsigned long long)gauges[GAUGE_tensors_collected],
                       (unsigned long long)gauges[GAUGE_tensors]);
}

/* ---- the heap of JavaScript ---- */

/* The ordinal at which the first worker behind this tick takes its heap along; UINT64_MAX: none. */
static uint64_t worker_leaves(const struct visit *visit, double tick)
{
    for (size_t i = 0; i < visit->model->intervention_count; i++) {
        const struct intervention_record *one = &visit->model->interventions[i];

        if (one->kind == INTERVENTION_WORKER && (double)series_tick(&visit->series, one->ordinal) > tick)
            return one->ordinal;
    }
    return UINT64_MAX;
}

/* Where no collection has looked at the end of the run, it must at least not have stopped: what is in use
 * there, garbage included, is as much as the line of the troughs leads to. */
static bool goes_on(const struct troughs *troughs, const struct visit *visit, double slope)
{
    const struct model *model = visit->model;
    const size_t last = troughs->count - 1;
    const double unseen = (double)visit->series.ticks - troughs->tick[last];
    const double from = troughs->tick[last] + RULE_HEAP_END * unseen;
    const uint64_t to = worker_leaves(visit, from);
    uint64_t least = UINT64_MAX;

    if (unseen <= (troughs->tick[last] - troughs->tick[0]) * RULE_HEAP_UNSEEN)
        return true;
    for (size_t i = 0; i < model->step_count; i++)
        if ((double)series_tick(&visit->series, model->steps[i].first) >= from && model->steps[i].last < to &&
            model->steps[i].gauges[GAUGE_heap_used] < least)
            least = model->steps[i].gauges[GAUGE_heap_used];
    return (double)least >= troughs->bytes[last] + slope * unseen / 2;
}

/* What weak references were made to, or have given, stays until JavaScript waits; and a library that has its
 * objects from a device makes such references to them. */
static bool never_waited(const struct model *model, const struct troughs *troughs,
                         const struct series *series)
{
    uint64_t first = 0, last = 0;

    for (size_t i = 0; i < model->step_count && collected_device(model); i++) {
        const double tick = (double)series_tick(series, model->steps[i].last);

        if (tick <= troughs->tick[0])
            first = model->steps[i].clock[CLOCK_turn];
        if (tick <= troughs->tick[troughs->count - 1])
            last = model->steps[i].clock[CLOCK_turn];
    }
    return collected_device(model) && last < first + COLLECTED_TURNS;
}

/* Every trough, or nearly every one of many, is higher than the one before, by enough in all, and the
 * newer half of the time brings its share: caches and compiled code fill up and stop. The one that is not
 * may be the last: after some collections V8 lets go of code that has not run for long. */
static bool keeps_rising(const struct troughs *troughs)
{
    const size_t last = troughs->count - 1;
    const double middle = (troughs->tick[0] + troughs->tick[last]) / 2;
    const double top = troughs_highest(troughs), all = top - troughs->bytes[0];
    const double half = troughs_at(troughs, middle);

    return troughs_rises(troughs) + (troughs->count >= 6) >= last &&
           all >= (troughs_steady(troughs) ? RULE_HEAP_STEADY : RULE_HEAP_BYTES) &&
           top - half >= RULE_HEAP_NEWER * all && troughs->bytes[last] >= half;
}

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

void script_heap(struct visit *visit)
{
    struct troughs troughs;
    struct slope slope;
    struct finding *out;

    if (!collected_by_script(visit->model) || visit->series.ticks < visit->series.first_look ||
        visit->clock.id == CLOCK_time) /* a script that builds something up and ends: heap_open.h */
        return;
    troughs_find(&troughs, visit);
    if (troughs.count < RULE_HEAP_TROUGHS || !keeps_rising(&troughs) ||
        never_waited(visit->model, &troughs, &visit->series))
        return;
    slope = stats_theil_sen(troughs.tick, troughs.bytes, troughs.count);
    if (!goes_on(&troughs, visit, slope.estimate) ||
        slope.estimate <= RULE_HEAP_SHARE * visit->growth.estimate || !(out = visit_add(visit)))
        return; /* buffers that are kept have objects in this heap, too */
    out->kind = KIND_retained;
    out->confidence = 0.9;
    out->rate = visit_rate(visit, slope);
    out->since = (uint64_t)troughs.tick[0];
    out->evicted_nothing = true;
    out->held_by = SCRIPT_HEAP;
    out->heap = true;
    out->live_bytes = (uint64_t)(troughs.bytes[troughs.count - 1] - troughs.bytes[0]);
    out->remedy = remedy_of(REMEDY_objects);
    if (script_maker(visit->model) != UINT32_MAX)
        culprits_locate(out, visit, script_maker(visit->model));
    evidence_heap(out, visit, troughs.seen, (uint64_t)troughs.bytes[0],
                  (uint64_t)troughs.bytes[troughs.count - 1]);
    visit_grow(visit, slope);
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

/* The size at step ends between collections says little, but a heap that does not grow at all needs
 * no collection to be judged. */
bool script_heap_suspect(const struct model *model)
{
    const struct step_record *steps = model->steps;
    const size_t count = model->step_count;
    uint64_t before = UINT64_MAX, now = UINT64_MAX;

    if (!collected_by_script(model) || count == 0 || count < (is_silent(model) ? SILENT_STEPS : 64))
        return false;
    for (size_t i = count / 4; i < count; i++) {
        const uint64_t used = steps[i].gauges[GAUGE_heap_used];
        uint64_t *least = i < count / 2 ? &before : i >= count - count / 4 ? &now : NULL;

        if (least && used > 0 && used < *least)
            *least = used;
    }
    return before != UINT64_MAX && now != UINT64_MAX && now > before &&
           now - before >= (steps[count - 1].clock[CLOCK_request] > 0 ? (uint64_t)RULE_HEAP_SERVED
                                                                      : (uint64_t)RULE_HEAP_STEADY);
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

static const struct finding *heap_finding(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].heap)
            return &visit->findings[i];
    return NULL;
}

static uint64_t last_gauge(const struct model *model, enum gauge_id gauge)
{
    return model->step_count ? model->steps[model->step_count - 1].gauges[gauge] : 0;
}

/* The limit counts what is set aside for young objects too, which may be the greater part of it. */
bool script_heap_scarce(const struct model *model)
{
    const uint64_t limit = last_gauge(model, GAUGE_heap_limit);

    return limit > 0 && last_gauge(model, GAUGE_heap_kept) >= limit / 4;
}

/* It takes about 40 ms for each megabyte. While the program runs no more than a moment is taken, unless it
 * is about to end for want of room, when nothing can be asked any more; at its end the round has its own
 * limit. */
uint64_t script_snapshot_most(bool scarce, bool last)
{
    return scarce ? SNAPSHOT_SCARCE : last ? SNAPSHOT_LAST : SNAPSHOT_MOMENT;
}

void script_forecast(const struct visit *visit, struct forecast *out)
{
    const struct finding *finding = heap_finding(visit);
    const uint64_t limit = last_gauge(visit->model, GAUGE_heap_limit);
    const uint64_t used = last_gauge(visit->model, GAUGE_heap_kept);
    const double scale = clock_scale(&visit->clock);
    struct forecast heap = {.limit = "limit of the JavaScript heap", .limit_bytes = limit};

    if (!finding || limit <= used || !visit->run || (out->known && out->headroom < limit - used))
        return;
    heap.headroom = limit - used;
    forecast_reach(&heap, &visit->clock,
                   (struct slope){finding->rate.estimate / scale, finding->rate.low / scale,
                                  finding->rate.high / scale});
    if (heap.known)
        *out = heap;
}

/* V8 ends the process itself, by a signal, when a collection has left no room. */
const char *script_full(const struct visit *visit, const char *ended)
{
    const struct finding *finding = heap_finding(visit);
    const uint64_t limit = last_gauge(visit->model, GAUGE_heap_limit);
    const uint64_t used = last_gauge(visit->model, GAUGE_heap_used);
    char size[TEXT_SIZE_MAX], most[TEXT_SIZE_MAX];

    if (!finding || !ended || used < limit / 3 ||
        (!strstr(ended, "SIGABRT") && !strstr(ended, "SIGTRAP") && !strstr(ended, "SIGILL")))
        return NULL;
    return arena_print(visit->arena,
                       "The JavaScript heap was full when the program ended: %s in use, of %s with all "
                       "that is set aside for young objects. What filled it is told above.",
                       text_size(size, used), text_size(most, limit));
}
