/* js_heap_undecided.c - a JavaScript heap that grew, with too few measurements for the rule of
 * js_heap.c.
 *
 * A script that never returns to its event loop is measured and collected a few times only
 * (probe/entry/adapter_js.c). A server may grow by very little per request, or end without a
 * collection. In these cases growth is reported as undecided, not as clean.
 */
#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/troughs.h"
#include "doctor/runtime/script.h"

#define READINGS_LEAST 8            /* half as many readings of the heap size are needed after a collection */
#define USED_RISE   (4.0 * 1048576) /* bytes; a smaller rise without a collection may be garbage */
#define SPAN_LEAST  1000000000u     /* nanoseconds; a shorter rise may be the loading of modules */

/* A rise of the JavaScript heap. */
struct rise {
    double from, to;       /* bytes at the beginning and at the end */
    uint64_t began, ended; /* times of the beginning and of the end */
    size_t collections;    /* number of collections; 0: `from` and `to` are sizes without one */
};

/* Consecutive steps in which the event loop did not turn. When the loop turns, what the script
 * held may be garbage. */
struct stretch {
    const struct step_record *steps; /* the first step */
    size_t count;                    /* number of steps */
};

/* The stretch that took most time. */
static struct stretch longest_stretch(const struct model *model)
{
    struct stretch best = {model->steps, 0};
    size_t begin = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *steps = model->steps;

        if (steps[i].clock[CLOCK_turn] != steps[begin].clock[CLOCK_turn])
            begin = i;
        if (best.count == 0 || steps[i].time - steps[begin].time >
                                   best.steps[best.count - 1].time - best.steps[0].time)
            best = (struct stretch){&steps[begin], i - begin + 1};
    }
    return best;
}

/* The newer half of the time has its share of the rise. Memory of a set-up stops growing. */
static bool grows_to_end(const struct rise *rise, const struct stretch *stretch)
{
    const uint64_t middle = rise->began + (rise->ended - rise->began) / 2;
    double then = rise->from;

    for (size_t i = 0; i < stretch->count && stretch->steps[i].time <= middle; i++) {
        const double size =
            (double)stretch->steps[i].gauges[rise->collections ? GAUGE_heap_kept : GAUGE_heap_used];

        then = size > 0 ? size : then;
    }
    return rise->ended - rise->began >= SPAN_LEAST &&
           rise->to - then >= RULE_HEAP_NEWER * (rise->to - rise->from);
}

static bool is_end(const struct stretch *stretch, size_t at)
{
    const uint64_t first = stretch->steps[0].time, last = stretch->steps[stretch->count - 1].time;

    return stretch->steps[at].time - first >= (last - first) - (last - first) / 10;
}

/* After each full collection the heap was larger than after the one before. Fills `out`. */
static bool rises_over_collections(struct rise *out, const struct stretch *stretch)
{
    uint64_t last = 0, seen = 0;

    *out = (struct rise){.collections = 0};
    for (size_t i = 0; i < stretch->count; i++) {
        const uint64_t kept = stretch->steps[i].gauges[GAUGE_heap_kept];
        const uint64_t collections = stretch->steps[i].gauges[GAUGE_collections];

        if (kept == last && collections != seen)
            out->ended = stretch->steps[i].time; /* a collection left the same size: no growth until here */
        seen = collections;
        if (kept == last)
            continue;
        if (kept < last && is_end(stretch, i))
            break; /* the script has ended, so its memory is garbage */
        if (kept < last)
            return false;
        out->from = out->collections == 0 ? (double)kept : out->from;
        out->began = out->collections == 0 ? stretch->steps[i].time : out->began;
        out->to = (double)kept;
        out->ended = stretch->steps[i].time;
        out->collections++;
        last = kept;
    }
    return out->collections > 1 && out->to - out->from >= RULE_HEAP_BYTES;
}

/* Index of the first reading of the newer half, or after the last collection if that came later. */
static size_t since_collection(const struct stretch *stretch)
{
    const uint64_t last = stretch->steps[stretch->count - 1].gauges[GAUGE_collections];
    size_t i = stretch->count / 2;

    while (stretch->steps[i].gauges[GAUGE_collections] != last)
        i++;
    return i;
}

/* No collection came in the newer half, and the heap keeps growing there. Fills `out`. */
static bool rises_uncollected(struct rise *out, const struct stretch *stretch)
{
    const struct step_record *steps = stretch->steps;
    const size_t count = stretch->count, first = count > 0 ? since_collection(stretch) : 0;

    *out = (struct rise){.collections = 0};
    if (count < first + READINGS_LEAST / 2)
        return false;
    for (size_t i = first; i < count; i++) {
        const double used = (double)steps[i].gauges[GAUGE_heap_used];

        if (used > 0 && out->began == 0) {
            out->from = out->to = used;
            out->began = steps[i].time;
        }
        if (used < out->to && is_end(stretch, i))
            break;
        if (used < out->to)
            return false; /* V8 freed garbage without a full collection */
        out->to = used;
        out->ended = steps[i].time;
    }
    return out->began > 0 && out->to - out->from >= USED_RISE;
}

static void add_facts(struct finding *out, const struct rise *rise)
{
    out->headline = FACT_OF(heap_grew_silently, (uint64_t)rise->from, (uint64_t)rise->to);
    fact_add(out, rise->collections ? FACT_OF(heap_behind_collections, rise->collections)
                                    : FACT_OF(heap_not_collected, 0));
}

/* By how much the heap rose in the newer half of the time and did not fall again: from the
 * lowest trough since the middle (and the last one before it) to the last trough. */
static double lasting_rise(const struct troughs *troughs)
{
    const size_t last = troughs->count - 1;
    const double middle = (troughs->tick[0] + troughs->tick[last]) / 2;
    double least = troughs->bytes[last];

    for (size_t i = last; i-- > 0;) {
        least = troughs->bytes[i] < least ? troughs->bytes[i] : least;
        if (troughs->tick[i] <= middle)
            break;
    }
    return troughs->bytes[last] - least;
}

/* What other findings explain is not reported again as a rise of the heap: buffers that are kept
 * have objects in this heap, too. */
static bool is_explained(const struct visit *visit, double rate)
{
    return rate <= RULE_HEAP_SHARE * visit->growth.estimate;
}

/* An undecided finding about the heap. NULL: no room. */
static struct finding *add_open(struct visit *visit, struct slope rate, uint64_t since,
                                struct fact headline)
{
    struct finding *out = visit_add(visit);

    if (!out)
        return NULL;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->rate = visit_rate(visit, rate);
    out->since = since;
    out->more_steps = visit->series.ticks;
    out->heap = true;
    advise(out, REMEDY_longer);
    out->headline = headline;
    visit_grow(visit, out, rate);
    return out;
}

/* Bytes per tick, from the first collection to the last. */
static double mean_rise(const struct troughs *troughs)
{
    const size_t last = troughs->count - 1;

    return (troughs->bytes[last] - troughs->bytes[0]) / (troughs->tick[last] - troughs->tick[0]);
}

/* Between the last two collections it rose, and not much more slowly than before. */
static bool keeps_pace(const struct troughs *troughs)
{
    const size_t last = troughs->count - 1;
    const double ticks = troughs->tick[last] - troughs->tick[last - 1];
    const double rise = troughs->bytes[last] - troughs->bytes[last - 1];

    return ticks > 0 && rise >= RULE_PACE * mean_rise(troughs) * ticks;
}

/* A server handles requests or events without end, so a few bytes per request are much in a day.
 * In a short run such growth looks like an engine that warms up, and so it does if no collection has seen the
 * newer half of the run: then end_unseen() judges. */
static bool rises_by_day(struct troughs *out, const struct visit *visit)
{
    if (!clock_arrives(&visit->clock) || visit->clock.seconds <= 0)
        return false;
    troughs_find(out, visit);
    return out->count >= RULE_HEAP_REQUESTS &&
           2 * out->tick[out->count - 1] >= (double)visit->series.ticks &&
           lasting_rise(out) >= RULE_HEAP_LITTLE &&
           mean_rise(out) * RULE_DAY / visit->clock.seconds >= RULE_DAY_BYTES;
}

/* A large rise, with any clock, after each collection: too few were requested for js_heap.c to
 * decide. */
static bool rises_by_far(struct troughs *out, const struct visit *visit)
{
    troughs_find(out, visit);
    if (out->count >= RULE_HEAP_TROUGHS)
        return false;
    troughs_find_all(out, visit);
    return out->count >= RULE_HEAP_REQUESTS && troughs_rises(out) + 1 == out->count &&
           lasting_rise(out) >= RULE_HEAP_BYTES && keeps_pace(out);
}

/* A few collections have each left more than the one before. */
static bool report_rise(struct visit *visit)
{
    struct troughs troughs;
    struct finding *out;
    struct slope rate;

    if (visit->clock.id == CLOCK_time || collected_device(visit->model) ||
        !(rises_by_day(&troughs, visit) || rises_by_far(&troughs, visit)))
        return false;
    rate = (struct slope){mean_rise(&troughs), 0, 2 * mean_rise(&troughs)};
    if (is_explained(visit, rate.estimate))
        return false;
    out = add_open(visit, rate, (uint64_t)troughs.tick[0],
                   FACT_OF(heap_grew_serving, (uint64_t)troughs.bytes[0],
                           (uint64_t)troughs.bytes[troughs.count - 1]));
    if (out && script_maker(visit->model) != UINT32_MAX)
        attribute_locate(out, visit, script_maker(visit->model));
    return true;
}

/* No collection came near the end of the run, so how much of the rise is garbage is unknown. In
 * a server, young objects alone do not stay in use so long. */
static void report_uncollected_end(struct visit *visit)
{
    struct unseen unseen;
    double most;

    if (!clock_arrives(&visit->clock) || collected_device(visit->model) ||
        !script_heap_unseen(&unseen, visit->model))
        return;
    most = (double)(unseen.now - unseen.left) / (unseen.share * (double)visit->series.ticks);
    if (!is_explained(visit, most))
        (void)add_open(visit, (struct slope){most, 0, most}, 1,
                       FACT_OF(heap_unseen, unseen.left, unseen.now));
}

/* Not where js_heap.c has decided about this heap. */
bool detect_js_heap_undecided_applies(const struct visit *visit)
{
    return visit->series.count > 0 && visit->runtime->own_heap && !script_heap_finding(visit);
}

void detect_js_heap_undecided(struct visit *visit)
{
    const struct model *model = visit->model;
    const struct stretch stretch = longest_stretch(model);
    struct finding *out;
    struct rise rise;
    double rate;

    if (!report_rise(visit))
        report_uncollected_end(visit);
    /* A library that uses a device refers to its objects weakly, and V8 keeps these until the
     * event loop turns. */
    if (visit->clock.id != CLOCK_time || collected_device(model) ||
        !(rises_over_collections(&rise, &stretch) || rises_uncollected(&rise, &stretch)) ||
        !grows_to_end(&rise, &stretch))
        return;
    rate = (rise.to - rise.from) / ((double)(rise.ended - rise.began) / 1e9) /
           clock_scale(&visit->clock);
    if (is_explained(visit, rate) || !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->rate = visit_rate(visit, (struct slope){rate, 0, 2 * rate});
    out->since = 1;
    out->heap = true;
    advise(out, REMEDY_silent);
    if (script_maker(model) != UINT32_MAX)
        attribute_locate(out, visit, script_maker(model));
    add_facts(out, &rise);
    visit_grow(visit, out, (struct slope){rate, 0, 2 * rate});
}
