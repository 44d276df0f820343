/* troughs.c - see troughs.h. */
#include "doctor/measure/troughs.h"

#include <math.h>

#include "doctor/facts/rules.h"
#include "doctor/facts/stats.h"

#define TROUGHS_MOST 32 /* if there are more collections, they are merged into so many stretches */
_Static_assert(TROUGHS_MOST <= STATS_POINTS, "the slope of them is taken");

/* Merges the troughs into so many stretches and keeps the minimum of each. In a long run some
 * troughs fall, for example when V8 drops old code, but that is small beside real growth. A
 * store that is emptied again and again keeps its level. */
static void merge(struct troughs *troughs, size_t stretches)
{
    const size_t count = troughs->count;

    for (size_t at = 0; at < stretches && stretches < count; at++) {
        size_t least = at * count / stretches;

        for (size_t i = least + 1; i < (at + 1) * count / stretches; i++)
            least = troughs->bytes[i] < troughs->bytes[least] ? i : least;
        troughs->tick[at] = troughs->tick[least];
        troughs->bytes[at] = troughs->bytes[least];
    }
    troughs->count = stretches < count ? stretches : count;
}

/* This trough replaces the last one: it comes a moment later and is a little lower. The second of two
 * collections frees what the first one has only released, such as code that was not used for long. */
static bool settles(const struct troughs *out, uint64_t bytes, uint64_t time)
{
    const double last = out->count > 0 ? out->bytes[out->count - 1] : 0;

    return (double)bytes < last && (double)bytes > last * (1 - RULE_HEAP_SETTLES) &&
           time - out->time < RULE_HEAP_MOMENT;
}

static void add_trough(struct troughs *out, double tick, uint64_t bytes, uint64_t time)
{
    out->count -= settles(out, bytes, time);
    out->time = time;
    if (out->count == TROUGHS_ROOM)
        merge(out, TROUGHS_ROOM / 2);
    out->tick[out->count] = tick;
    out->bytes[out->count++] = (double)bytes;
    out->seen++;
}

uint64_t troughs_asked(const struct model *model)
{
    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_COLLECT)
            return model->interventions[i].ordinal;
    return 0;
}

/* A collection ended in this step, so its value is a trough. */
static bool is_trough(const struct step_record *step, uint64_t asked)
{
    return step->last >= asked && step->gauges[GAUGE_heap_kept] > 0 &&
           step->gauges[GAUGE_heap_kept] != step[-1].gauges[GAUGE_heap_kept];
}

/* Sets the ticks that are judged: the last four fifths up to the last collection. The first
 * fifth is set-up. */
static void find_span(uint64_t *from, uint64_t *to, const struct visit *visit, uint64_t asked)
{
    const struct model *model = visit->model;

    *to = 0;
    for (size_t i = model->step_count; i-- > 1 && *to == 0;) {
        const uint64_t tick = series_tick(&visit->series, model->steps[i].first);

        if (is_trough(&model->steps[i], asked) && tick <= visit->series.ticks)
            *to = tick;
    }
    *from = *to / 5;
}

/* Those that ended at the step `asked` or later. */
static void find_from(struct troughs *out, const struct visit *visit, uint64_t asked)
{
    const struct model *model = visit->model;
    uint64_t from, to;

    find_span(&from, &to, visit, asked);
    out->count = out->seen = out->time = 0;
    for (size_t i = 1; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t tick = series_tick(&visit->series, step->first);

        if (is_trough(step, asked) && tick > from && tick <= to)
            add_trough(out, (double)tick, step->gauges[GAUGE_heap_kept], step->time);
    }
    merge(out, TROUGHS_MOST);
}

void troughs_find(struct troughs *out, const struct visit *visit)
{
    find_from(out, visit, troughs_asked(visit->model));
}

void troughs_find_all(struct troughs *out, const struct visit *visit)
{
    find_from(out, visit, 0);
}

size_t troughs_rises(const struct troughs *troughs)
{
    size_t rises = 0;

    for (size_t i = 1; i < troughs->count; i++)
        rises += troughs->bytes[i] > troughs->bytes[i - 1];
    return rises;
}

bool troughs_steady(const struct troughs *troughs)
{
    const size_t last = troughs->count - 1;
    const double ticks = troughs->tick[last] - troughs->tick[0];
    const double all = troughs->bytes[last] - troughs->bytes[0];

    if (troughs->count < RULE_HEAP_MANY || ticks <= 0)
        return false;
    for (size_t i = 1; i < last; i++) {
        const double on = troughs->bytes[0] + all * (troughs->tick[i] - troughs->tick[0]) / ticks;

        if (fabs(troughs->bytes[i] - on) > RULE_HEAP_ASIDE * all)
            return false;
    }
    return true;
}

double troughs_at(const struct troughs *troughs, double tick)
{
    size_t i = 1;
    double ticks;

    while (i + 1 < troughs->count && troughs->tick[i] < tick)
        i++;
    ticks = troughs->tick[i] - troughs->tick[i - 1];
    return ticks <= 0 ? troughs->bytes[i]
                      : troughs->bytes[i - 1] + (troughs->bytes[i] - troughs->bytes[i - 1]) *
                                                    (tick - troughs->tick[i - 1]) / ticks;
}

double troughs_highest(const struct troughs *troughs)
{
    double most = troughs->bytes[0];

    for (size_t i = 1; i < troughs->count; i++)
        most = troughs->bytes[i] > most ? troughs->bytes[i] : most;
    return most;
}
