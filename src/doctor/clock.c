/* clock.c - see clock.h.
 *
 * Growth means nothing without a clock that ticks with the work. The user's own marks are believed.
 * Otherwise the slowest clock is taken that has ticked often enough and all through the run; slow,
 * because what lives for an epoch or a model is no leak within it. Time slices come last.
 */
#include "doctor/clock.h"

#include <stdbool.h>

#include "base/arena.h"
#include "doctor/rules.h"

static const char *const names[LEDGER_CLOCKS] = {
#define CLOCK(number, name, says) [number] = #name,
#include "ledger/clocks.def"
#undef CLOCK
};

static const char *const meanings[LEDGER_CLOCKS] = {
#define CLOCK(number, name, says) [number] = says,
#include "ledger/clocks.def"
#undef CLOCK
};

struct span {
    uint64_t ticks, first, last; /* times of the first and the last record that has a tick */
};

static struct span span_of(const struct model *model, unsigned clock)
{
    struct span span = {0, 0, 0};

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (step->clock[clock] == span.ticks)
            continue;
        if (span.ticks == 0)
            span.first = step->time;
        span.ticks = step->clock[clock];
        span.last = step->time;
    }
    return span;
}

/* From the first tick of any clock to the last: the work. Seconds of imports before it are none. */
static uint64_t whole_span(const struct span *spans)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++) {
        if (!names[i] || spans[i].ticks == 0)
            continue;
        first = spans[i].first < first ? spans[i].first : first;
        last = spans[i].last > last ? spans[i].last : last;
    }
    return last > first ? last - first : 0;
}

/* A clock that ticked only at the beginning or the end of the work does not tick with it. */
static bool recurs(const struct span *span, uint64_t whole, uint64_t least)
{
    return span->ticks >= least && (span->last - span->first) >= whole / 3;
}

/* The slowest of the clocks with at least `least` ticks; CLOCK_time when there is none. */
static unsigned slowest(const struct span *spans, uint64_t least)
{
    const uint64_t whole = whole_span(spans);
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (names[i] && recurs(&spans[i], whole, least) &&
            (best == CLOCK_time || spans[i].ticks < spans[best].ticks))
            best = i;
    return best;
}

static unsigned most_ticks(const struct span *spans)
{
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (names[i] && spans[i].ticks >= RULE_CLOCK_LEAST &&
            (best == CLOCK_time || spans[i].ticks > spans[best].ticks))
            best = i;
    return best;
}

static unsigned pick(const struct span *spans, const char **why)
{
    unsigned id;

    if (spans[CLOCK_mark].ticks >= RULE_CLOCK_LEAST) {
        *why = "the program marks its steps";
        return CLOCK_mark;
    }
    *why = "it is the slowest clock that recurs through the run often enough to judge by";
    id = slowest(spans, RULE_CLOCK_ENOUGH);
    if (id == CLOCK_time)
        id = slowest(spans, RULE_CLOCK_FEW);
    if (id == CLOCK_time) {
        id = most_ticks(spans);
        *why = "no clock ticked often, and this one most";
    }
    if (id == CLOCK_time)
        *why = "the program marks no steps and no framework was seen to take any, so time was cut "
               "into slices; a rate is told per second";
    return id;
}

void clock_choose(struct clock_choice *out, const struct model *model, struct arena *arena)
{
    struct span spans[LEDGER_CLOCKS] = {{0, 0, 0}};
    const char *why = "no step was recorded";
    unsigned id = CLOCK_time;
    const struct span *span;

    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        spans[i] = span_of(model, i);
    if (model->step_count > 0)
        id = pick(spans, &why);
    span = &spans[id];
    *out = (struct clock_choice){.id = (enum clock_id)id,
                                 .name = names[id],
                                 .says = meanings[id],
                                 .reason = arena_print(arena, "%s", why),
                                 .ticks = span->ticks};
    if (span->ticks > 1 && span->last > span->first)
        out->seconds = (double)(span->last - span->first) / 1e9 / (double)(span->ticks - 1);
}

const char *clock_unit(const struct clock_choice *clock)
{
    return clock->id == CLOCK_time && clock->seconds > 0 ? "second" : "step";
}

double clock_scale(const struct clock_choice *clock)
{
    return clock->id == CLOCK_time && clock->seconds > 0 ? 1 / clock->seconds : 1;
}
