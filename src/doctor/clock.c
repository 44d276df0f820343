/* clock.c - see clock.h.
 *
 * Growth means nothing without a clock that ticks with the work. The user's own marks are believed.
 * Otherwise the slowest clock is taken that has ticked often enough and all through the run; slow,
 * because what lives for a model is no leak within it. Fewer ticks are enough where every one of them
 * leaves something behind. Where no framework takes steps, the turns of a loop are taken that were
 * noticed, then epochs. Time slices come last.
 */
#include "doctor/clock.h"

#include <stdbool.h>
#include <string.h>

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

/* Clocks beside the steps of the work, for want of those: an epoch is many steps, a loop's turns are seen
 * only when memory is sampled in them, and a step may read several results. */
static const bool beside[LEDGER_CLOCKS] = {
    [CLOCK_loop] = true, [CLOCK_outer] = true, [CLOCK_epoch] = true, [CLOCK_read] = true};

struct span {
    uint64_t begin; /* ticks at `first` */
    uint64_t ticks, first, last; /* times of the second tick, or the first, and of the last */
};

static struct span span_of(const struct model *model, unsigned clock)
{
    struct span span = {0, 0, 0, 0};

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (step->clock[clock] == span.ticks)
            continue;
        if (span.ticks < 2) { /* between the first and the second a framework may compile for seconds */
            span.first = step->time;
            span.begin = step->clock[clock];
        }
        span.ticks = step->clock[clock];
        span.last = step->time;
    }
    return span;
}

/* From the second tick of any clock to the last: the work. Seconds of imports before it are none. */
static uint64_t whole_span(const struct span *spans)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++) {
        if (!names[i] || spans[i].ticks < RULE_CLOCK_LEAST)
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

/* Of two that tick alike a model says more than what is done with it. */
static bool is_slower(const struct span *spans, unsigned clock, unsigned than)
{
    return than == CLOCK_time || spans[clock].ticks < spans[than].ticks ||
           (spans[clock].ticks == spans[than].ticks && clock == CLOCK_model);
}

/* The slowest of the clocks with at least `least` ticks; CLOCK_time when there is none. */
static unsigned slowest(const struct span *spans, uint64_t least, bool aside)
{
    const uint64_t whole = whole_span(spans);
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (names[i] && beside[i] == aside && recurs(&spans[i], whole, least) &&
            is_slower(spans, i, best))
            best = i;
    return best;
}

/* Every tick but a few leaves many blocks: a loop that builds models. Where the ledger has merged
 * steps, several ticks are one interval. */
static bool is_heavy(const struct model *model, unsigned clock)
{
    uint64_t ticks = 0, before = 0;
    unsigned intervals = 0, heavy = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t more = step->clock[clock] - ticks;

        if (step->clock[clock] <= ticks)
            continue;
        if (ticks > 1) { /* the first tick's work includes what is set up once */
            intervals++;
            heavy += step->live_blocks >= before + more * RULE_HEAVY_BLOCKS;
        }
        ticks = step->clock[clock];
        before = step->live_blocks;
    }
    return intervals > 0 && heavy * 4 >= intervals * 3;
}

/* The slowest clock with few ticks that are enough because they are heavy; CLOCK_time: none. */
static unsigned slowest_heavy(const struct model *model, const struct span *spans)
{
    const uint64_t whole = whole_span(spans);
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (names[i] && !beside[i] && recurs(&spans[i], whole, RULE_CLOCK_FEW) &&
            is_slower(spans, i, best) && is_heavy(model, i))
            best = i;
    return best;
}

/* Some turns of an event loop, while a script was loaded and when it was over, and more slices between. */
static bool is_start(const struct span *spans, unsigned clock)
{
    return clock == CLOCK_turn && spans[CLOCK_time].ticks > spans[clock].ticks;
}

static unsigned most_ticks(const struct span *spans)
{
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (names[i] && spans[i].ticks >= RULE_CLOCK_LEAST && !is_start(spans, i) &&
            (best == CLOCK_time || spans[i].ticks > spans[best].ticks))
            best = i;
    return best;
}

#define LOOP_REASON                                                                                \
    "the program marks no steps and no framework was seen to take any, but a loop of it was seen " \
    "turning; a turn in which no memory was sampled is not counted, so that a rate per turn may be " \
    "too high, seldom too low"

/* The outer loop, where it has turned often enough: what an inner one leaves for the turn of the outer is
 * no leak. */
static unsigned loop_of(const struct span *spans)
{
    const uint64_t whole = whole_span(spans);

    if (recurs(&spans[CLOCK_outer], whole, RULE_CLOCK_ENOUGH))
        return CLOCK_outer;
    return recurs(&spans[CLOCK_loop], whole, RULE_CLOCK_FEW) ? CLOCK_loop : CLOCK_time;
}

static unsigned pick(const struct model *model, const struct span *spans, const char **why)
{
    unsigned id;

    if (spans[CLOCK_mark].ticks >= RULE_CLOCK_LEAST) {
        *why = "the program marks its steps";
        return CLOCK_mark;
    }
    id = slowest_heavy(model, spans);
    if (id != CLOCK_time && spans[id].ticks < RULE_CLOCK_ENOUGH) {
        *why = "it is the slowest clock that recurs through the run, and memory grows with its ticks";
        return id;
    }
    *why = "it is the slowest clock that recurs through the run often enough to judge by";
    id = slowest(spans, RULE_CLOCK_ENOUGH, false);
    if (id == CLOCK_time)
        id = slowest(spans, RULE_CLOCK_FEW, false);
    if (id == CLOCK_time) {
        id = loop_of(spans);
        *why = id == CLOCK_time ? *why : LOOP_REASON;
    }
    if (id == CLOCK_time) {
        id = slowest(spans, RULE_CLOCK_FEW, true);
    }
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
    struct span spans[LEDGER_CLOCKS] = {{0, 0, 0, 0}};
    const char *why = "no step was recorded";
    unsigned id = CLOCK_time;
    const struct span *span;

    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        spans[i] = span_of(model, i);
    if (model->step_count > 0)
        id = pick(model, spans, &why);
    span = &spans[id];
    *out = (struct clock_choice){.id = (enum clock_id)id,
                                 .name = names[id],
                                 .says = meanings[id],
                                 .reason = arena_print(arena, "%s", why),
                                 .ticks = span->ticks};
    if (span->ticks > span->begin && span->last > span->first)
        out->seconds =
            (double)(span->last - span->first) / 1e9 / (double)(span->ticks - span->begin);
}

static const char *name_of(const char *name, const char *of_time)
{
    if (name && strcmp(name, names[CLOCK_time]) == 0)
        return of_time;
    return name && strcmp(name, names[CLOCK_model]) == 0 ? "model" : "step";
}

const char *clock_tick_name(const char *name)
{
    return name_of(name, "slice");
}

const char *clock_rate_name(const char *name)
{
    return name_of(name, "second");
}

const char *clock_unit(const struct clock_choice *clock)
{
    if (clock->id == CLOCK_model)
        return "model";
    return clock->id == CLOCK_time && clock->seconds > 0 ? "second" : "step";
}

double clock_scale(const struct clock_choice *clock)
{
    return clock->id == CLOCK_time && clock->seconds > 0 ? 1 / clock->seconds : 1;
}
