/* js_heap.c - does the JavaScript heap hold more after each full collection? A trough is its
 * size after one. */
#include <math.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/resident.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/troughs.h"
#include "doctor/runtime/script.h"

/* The ordinal at which the first worker after this tick ends and its heap is gone; UINT64_MAX: none. */
static uint64_t worker_ends_at(const struct visit *visit, double tick)
{
    for (size_t i = 0; i < visit->model->intervention_count; i++) {
        const struct intervention_record *one = &visit->model->interventions[i];

        if (one->kind == INTERVENTION_WORKER && (double)series_tick(&visit->series, one->ordinal) > tick)
            return one->ordinal;
    }
    return UINT64_MAX;
}

/* If no collection came near the end of the run, the heap must at least not have stopped
 * growing: its size in use there, with garbage, must reach half of what the slope of the troughs
 * forecasts. */
static bool grows_to_end(const struct troughs *troughs, const struct visit *visit, double slope)
{
    const struct model *model = visit->model;
    const size_t last = troughs->count - 1;
    const double unseen = (double)visit->series.ticks - troughs->tick[last];
    const double from = troughs->tick[last] + RULE_HEAP_END * unseen;
    const uint64_t to = worker_ends_at(visit, from);
    uint64_t least = UINT64_MAX;

    if (unseen <= (troughs->tick[last] - troughs->tick[0]) * RULE_HEAP_UNSEEN)
        return true;
    for (size_t i = 0; i < model->step_count; i++)
        if ((double)series_tick(&visit->series, model->steps[i].first) >= from && model->steps[i].last < to &&
            model->steps[i].gauges[GAUGE_heap_used] < least)
            least = model->steps[i].gauges[GAUGE_heap_used];
    return (double)least >= troughs->bytes[last] + slope * unseen / 2;
}

/* The event loop did not turn while the heap grew, and a library uses a device. Such a library
 * makes weak references to its objects, and V8 keeps their targets until the event loop turns,
 * so the objects may be garbage. */
static bool kept_by_weak_references(const struct model *model, const struct troughs *troughs,
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

/* Every trough is higher than the one before; of six or more, one may be lower, because V8
 * sometimes drops code that has not run for long. The total rise is large enough, and the newer
 * half of the time has its share of it: caches and compiled code fill up and stop. */
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

/* A script that only has time as its clock may build something up once and end: js_heap_undecided.c. */
bool detect_js_heap_applies(const struct visit *visit)
{
    return visit->runtime->own_heap && visit->series.ticks >= visit->series.first_look &&
           visit->clock.id != CLOCK_time;
}

void detect_js_heap(struct visit *visit)
{
    struct troughs troughs;
    struct slope slope;
    struct finding *out;

    troughs_find(&troughs, visit);
    if (troughs.count < RULE_HEAP_TROUGHS || !keeps_rising(&troughs) ||
        kept_by_weak_references(visit->model, &troughs, &visit->series))
        return;
    slope = stats_theil_sen(troughs.tick, troughs.bytes, troughs.count);
    if (!grows_to_end(&troughs, visit, slope.estimate) ||
        slope.estimate <= RULE_HEAP_SHARE * visit->growth.estimate || !(out = visit_add(visit)))
        return; /* a small rise may be the JavaScript objects of buffers that leak */
    out->kind = KIND_retained;
    out->confidence = 0.9;
    out->rate = visit_rate(visit, slope);
    out->since = (uint64_t)troughs.tick[0];
    out->evicted_nothing = true;
    out->held_by = SCRIPT_HEAP;
    out->heap = true;
    out->live_bytes = (uint64_t)(troughs.bytes[troughs.count - 1] - troughs.bytes[0]);
    advise(out, REMEDY_objects);
    if (script_maker(visit->model) != UINT32_MAX)
        attribute_locate(out, visit, script_maker(visit->model));
    out->headline = FACT_OF(heap_grows, 0);
    fact_add(out, FACT_OF(heap_collections, troughs.seen, (uint64_t)troughs.bytes[0],
                          (uint64_t)troughs.bytes[troughs.count - 1]));
    fact_add(out, resident_fact(visit));
    visit_grow(visit, out, slope);
}

