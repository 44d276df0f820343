/* heap_open.c - see heap_open.h. */
#include "doctor/heap_open.h"

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/culprits.h"
#include "doctor/evidence.h"
#include "doctor/remedies.h"
#include "doctor/script.h"
#include "doctor/troughs.h"

#define LOOKS_LEAST 8               /* readings of its size */
#define USED_RISE   (4.0 * 1048576) /* bytes, where no collection tells what of it is garbage */
#define SPAN_LEAST  1000000000u     /* nanoseconds: in less modules are loaded */

struct rise {
    double from, to;       /* bytes */
    uint64_t began, ended; /* times */
    size_t collections;    /* that it was behind; 0: none, these are sizes between collections */
};

/* Steps in which the event loop did not turn: the most time of this kind. When it turns, what the script held
 * may be garbage. */
struct stretch {
    const struct step_record *steps;
    size_t count;
};

static struct stretch longest(const struct model *model)
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

/* The newer half of the time brings its share: what is set up comes to an end. */
static bool goes_on(const struct rise *rise, const struct stretch *stretch)
{
    const uint64_t middle = rise->began + (rise->ended - rise->began) / 2;
    double then = rise->from;

    for (size_t i = 0; i < stretch->count && stretch->steps[i].time <= middle; i++) {
        const double size = (double)stretch->steps[i].gauges[rise->collections ? GAUGE_heap_kept
                                                                             : GAUGE_heap_used];

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

/* Behind each full collection there was more than behind the one before. */
static bool behind_collections(struct rise *out, const struct stretch *stretch)
{
    uint64_t last = 0, seen = 0;

    *out = (struct rise){.collections = 0};
    for (size_t i = 0; i < stretch->count; i++) {
        const uint64_t kept = stretch->steps[i].gauges[GAUGE_heap_kept];
        const uint64_t collections = stretch->steps[i].gauges[GAUGE_collections];

        if (kept == last && collections != seen)
            out->ended = stretch->steps[i].time; /* it has left as much: nothing was added */
        seen = collections;
        if (kept == last)
            continue;
        if (kept < last && is_end(stretch, i))
            break; /* the script is over, and what it held is garbage */
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

/* The newest half of the readings, where there was no collection in it, is above the older one. */
static bool without_any(struct rise *out, const struct stretch *stretch)
{
    const struct step_record *steps = stretch->steps;
    const size_t count = stretch->count, middle = count / 2;

    *out = (struct rise){.collections = 0};
    if (count < LOOKS_LEAST || steps[middle].gauges[GAUGE_collections] !=
                                   steps[count - 1].gauges[GAUGE_collections])
        return false;
    for (size_t i = middle; i < count; i++) {
        const double used = (double)steps[i].gauges[GAUGE_heap_used];

        if (used > 0 && out->began == 0) {
            out->from = out->to = used;
            out->began = steps[i].time;
        }
        if (used < out->to && is_end(stretch, i))
            break;
        if (used < out->to)
            return false; /* its own collector has taken something */
        out->to = used;
        out->ended = steps[i].time;
    }
    return out->began > 0 && out->to - out->from >= USED_RISE;
}

static void tell(struct finding *out, const struct visit *visit, const struct rise *rise)
{
    char from[TEXT_SIZE_MAX], to[TEXT_SIZE_MAX];

    out->summary = arena_print(visit->arena,
                               "The heap of JavaScript grew from %s to %s while the script did not return to "
                               "its event loop.",
                               text_size(from, (uint64_t)rise->from), text_size(to, (uint64_t)rise->to));
    evidence_say(out, visit,
                 rise->collections
                     ? arena_print(visit->arena,
                                   "Behind each of %zu collections there was more than behind the one "
                                   "before. Without steps it cannot be told whether something is built up, "
                                   "or leaks.",
                                   rise->collections)
                     : "It was not collected in this time: what of it is garbage is not known.");
}

/* By how much the heap rose for good in the newer half of the time: from the least that any collection has
 * left since the middle, and the one before it, to what the last one has. */
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

/* Requests come without end: so little that each leaves is much in a day, and in a short run not to be told
 * from an engine that warms up. */
static void open_requests(struct visit *visit)
{
    char from[TEXT_SIZE_MAX], to[TEXT_SIZE_MAX];
    struct troughs troughs;
    struct finding *out;
    double rate;
    size_t last;

    if (visit->clock.id != CLOCK_request || visit->finding_count > 0 || collected_device(visit->model) ||
        visit->clock.seconds <= 0)
        return;
    troughs_find(&troughs, visit);
    if (troughs.count < RULE_HEAP_REQUESTS)
        return;
    last = troughs.count - 1;
    rate = (troughs.bytes[last] - troughs.bytes[0]) / (troughs.tick[last] - troughs.tick[0]);
    if (lasting_rise(&troughs) < RULE_HEAP_LITTLE ||
        rate * RULE_DAY / visit->clock.seconds < RULE_DAY_BYTES || !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->rate = visit_rate(visit, (struct slope){rate, 0, 2 * rate});
    out->since = (uint64_t)troughs.tick[0];
    out->more_steps = visit->series.ticks;
    out->heap = true;
    out->remedy = remedy_of(REMEDY_longer);
    out->summary = arena_print(visit->arena,
                               "The heap of JavaScript grew from %s to %s behind collections; too little was "
                               "seen to tell whether it warms up, or leaks.",
                               text_size(from, (uint64_t)troughs.bytes[0]),
                               text_size(to, (uint64_t)troughs.bytes[last]));
    if (script_maker(visit->model) != UINT32_MAX)
        culprits_locate(out, visit, script_maker(visit->model));
    visit_grow(visit, (struct slope){rate, 0, 2 * rate});
}

void heap_open(struct visit *visit)
{
    const struct model *model = visit->model;
    const struct stretch stretch = longest(model);
    struct finding *out;
    struct rise rise;
    double rate;

    if (collected_by_script(model))
        open_requests(visit);
    /* What a library has from a device it refers to weakly, and that stays until JavaScript waits. */
    if (visit->clock.id != CLOCK_time || !collected_by_script(model) || collected_device(model) ||
        !(behind_collections(&rise, &stretch) || without_any(&rise, &stretch)) ||
        !goes_on(&rise, &stretch))
        return;
    rate = (rise.to - rise.from) / ((double)(rise.ended - rise.began) / 1e9) / clock_scale(&visit->clock);
    if (rate <= RULE_HEAP_SHARE * visit->growth.estimate ||
        !(out = visit_add(visit)))
        return; /* buffers that are kept have objects in this heap, too */
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->rate = visit_rate(visit, (struct slope){rate, 0, 2 * rate});
    out->since = 1;
    out->heap = true;
    out->remedy = remedy_of(REMEDY_silent);
    if (script_maker(model) != UINT32_MAX)
        culprits_locate(out, visit, script_maker(model));
    tell(out, visit, &rise);
    visit_grow(visit, (struct slope){rate, 0, 2 * rate});
}
