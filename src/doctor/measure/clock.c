/* clock.c - see clock.h.
 *
 * Growth means nothing without a clock that ticks with the work. The user's own marks come first.
 * Otherwise this chooses the slowest clock that has ticked often enough and all through the run. It
 * must be slow, because memory that lives as long as a model is not a leak within it. Fewer ticks
 * are enough if every tick leaves memory allocated. If no framework takes steps, it chooses the
 * turns of a loop that were noticed, then epochs. Time slices come last.
 */
#include "doctor/measure/clock.h"

#include <stdbool.h>

#include "base/arena.h"
#include "doctor/facts/rules.h"

/* Clocks that are used only if there are no steps of work. An epoch is many steps. A turn of a loop is
 * counted only if memory is sampled in it. A step may read several results. */
static const bool beside[LEDGER_CLOCKS] = {
    [CLOCK_loop] = true, [CLOCK_outer] = true, [CLOCK_epoch] = true, [CLOCK_read] = true};

/* The time over which a clock ticked. */
struct span {
    uint64_t begin; /* ticks at `first` */
    uint64_t ticks; /* ticks at `last` */
    uint64_t first; /* time of the second tick, or of the first if there is only one */
    uint64_t last;  /* time of the last tick */
};

uint64_t clock_tick(const struct clock_choice *clock, const struct step_record *step)
{
    const uint64_t all = step->clock[clock->id];

    if (clock->loop)
        return phases_turns(clock->loop, all);
    return all > clock->base ? all - clock->base : 0;
}

bool clock_is_weak(const struct clock_choice *clock)
{
    return clock->id == CLOCK_time || clock->id == CLOCK_loop || clock->id == CLOCK_outer;
}

bool clock_arrives(const struct clock_choice *clock)
{
    return clock->id == CLOCK_request ||
           (clock->id == CLOCK_turn && clock->ticks >= RULE_EVENTS_MANY && clock->waits);
}

/* The process waited for most of the time of its longest phase. */
static bool mostly_waits(const struct model *model)
{
    uint64_t longest = 0, work = 0;

    for (size_t i = 0; i < model->phase_count; i++) {
        const struct phase_record *phase = &model->phases[i];
        const uint64_t span = phase->last > phase->time ? phase->last - phase->time : 0;

        if (span <= longest)
            continue;
        longest = span;
        work = phase->work;
    }
    return longest > 0 && work < longest / 2;
}

static struct span span_of(const struct model *model, const struct clock_choice *clock)
{
    struct span span = {0, 0, 0, 0};

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t ticks = clock_tick(clock, step);

        if (ticks == span.ticks)
            continue;
        if (span.ticks < 2) { /* between the first and the second a framework may compile for seconds */
            span.first = step->time;
            span.begin = ticks;
        }
        span.ticks = ticks;
        span.last = step->time;
    }
    return span;
}

/* The time of work: from the second tick of any clock to the last tick. Imports before it are
 * not work. */
static uint64_t whole_span(const struct span *spans)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++) {
        if (!clock_name(i) || spans[i].ticks < RULE_CLOCK_LEAST)
            continue;
        first = spans[i].first < first ? spans[i].first : first;
        last = spans[i].last > last ? spans[i].last : last;
    }
    return last > first ? last - first : 0;
}

/* The clock ticked through at least a third of the work. A clock that ticked only at its
 * beginning or end does not tick with it. */
static bool recurs(const struct span *span, uint64_t whole, uint64_t least)
{
    return span->ticks >= least && (span->last - span->first) >= whole / 3;
}

/* `clock` is slower than `than`. If both have the same number of ticks, models are the slower clock. */
static bool is_slower(const struct span *spans, unsigned clock, unsigned than)
{
    return than == CLOCK_time || spans[clock].ticks < spans[than].ticks ||
           (spans[clock].ticks == spans[than].ticks && clock == CLOCK_model);
}

/* The slowest clock with at least `least` ticks; CLOCK_time if there is none. `aside`: of the
 * clocks that are used only without steps of work. */
static unsigned slowest(const struct span *spans, uint64_t least, bool aside)
{
    const uint64_t whole = whole_span(spans);
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (clock_name(i) && beside[i] == aside && recurs(&spans[i], whole, least) &&
            is_slower(spans, i, best))
            best = i;
    return best;
}

/* At least three of four ticks leave many blocks, as in a loop that builds models. If the ledger
 * has merged steps, several ticks are one interval. */
static bool is_heavy(const struct model *model, unsigned clock)
{
    uint64_t ticks = 0, before = 0;
    unsigned intervals = 0, heavy = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t more = step->clock[clock] - ticks;

        if (step->clock[clock] <= ticks)
            continue;
        if (ticks > 1) { /* the first tick includes the set-up */
            intervals++;
            heavy += step->live_blocks >= before + more * RULE_HEAVY_BLOCKS;
        }
        ticks = step->clock[clock];
        before = step->live_blocks;
    }
    return intervals > 0 && heavy * 4 >= intervals * 3;
}

/* The slowest clock whose ticks are heavy, so that a few are enough; CLOCK_time: none. */
static unsigned slowest_heavy(const struct model *model, const struct span *spans)
{
    const uint64_t whole = whole_span(spans);
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (clock_name(i) && !beside[i] && recurs(&spans[i], whole, RULE_CLOCK_FEW) &&
            is_slower(spans, i, best) && is_heavy(model, i))
            best = i;
    return best;
}

/* The event loop turned only while a script was loaded and when it was over: there are more
 * slices of time than turns. */
static bool is_start(const struct span *spans, unsigned clock)
{
    return clock == CLOCK_turn && spans[CLOCK_time].ticks > spans[clock].ticks;
}

/* The clock with most ticks; CLOCK_time: none ticked enough. */
static unsigned most_ticks(const struct span *spans)
{
    unsigned best = CLOCK_time;

    for (unsigned i = 1; i < LEDGER_CLOCKS; i++)
        if (clock_name(i) && spans[i].ticks >= RULE_CLOCK_LEAST && !is_start(spans, i) &&
            (best == CLOCK_time || spans[i].ticks > spans[best].ticks))
            best = i;
    return best;
}

#define LOOP_REASON                                                                                \
    "no steps were found, so turns of a loop are counted; some may be missed, so a rate can be too high"

/* The outer loop, if it has turned often enough. What an inner loop keeps for one turn of the
 * outer loop is not a leak. */
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
        *why = "the slowest clock of the run, and memory grows with its ticks";
        return id;
    }
    *why = "the slowest clock that ticks often enough to judge by";
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
        *why = "no clock ticked often; this one ticked most";
    }
    if (id == CLOCK_time)
        *why = "no steps were found, so rates are per second; call tare.step() once per "
               "iteration for rates per step";
    return id;
}

/* ---- phases ---- */

/* Of two loops that are still running, the slower one is the step, if it has turned often
 * enough. */
static bool is_better(const struct phase_loop *loop, const struct phase_loop *than)
{
    if (!than)
        return true;
    if (loop->turns < RULE_CLOCK_ENOUGH || than->turns < RULE_CLOCK_ENOUGH)
        return loop->turns > than->turns;
    return loop->turns < than->turns;
}

/* The loop whose turns become the clock, of those that still run; NULL: there is none. */
static const struct phase_loop *best_loop(const struct phases *phases)
{
    const struct phase_loop *best = NULL;

    for (size_t i = 0; i < phases->loop_count; i++) {
        const struct phase_loop *loop = &phases->loops[i];

        if (!loop->over && !loop->library && is_better(loop, best))
            best = loop;
    }
    return best;
}

static uint64_t last_begin(const struct phase_loop *loop)
{
    return loop->stretch_count > 0 ? loop->stretches[loop->stretch_count - 1].begin : 0;
}

/* For a run whose loops are all over: the last loop that did a good part of the work. What
 * earlier loops have built is their result. */
static const struct phase_loop *last_worker(const struct phases *phases)
{
    const struct phase_loop *last = NULL;
    uint64_t all = 0;

    for (size_t i = 0; i < phases->loop_count; i++)
        all += phases->loops[i].work;
    for (size_t i = 0; i < phases->loop_count; i++) {
        const struct phase_loop *loop = &phases->loops[i];

        if (!loop->library && loop->turns >= RULE_CLOCK_FEW && loop->work >= all / RULE_PHASE_SHARE &&
            (!last || last_begin(loop) > last_begin(last)))
            last = loop;
    }
    return last;
}

/* The first loop that still runs; NULL: there is none. */
static const struct phase_loop *first_loop(const struct phases *phases)
{
    for (size_t i = 0; i < phases->loop_count; i++)
        if (!phases->loops[i].over)
            return &phases->loops[i];
    return NULL;
}

/* All loops are over: slices of time count from their last turn on. */
static void begin_slices(struct clock_choice *slices, const struct model *model)
{
    uint64_t turns = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];

        if (step->clock[CLOCK_loop] == turns)
            continue;
        turns = step->clock[CLOCK_loop];
        slices->base = step->clock[CLOCK_time];
        slices->from = step->last;
    }
}

/* The time since the last loop ended is too short to judge. */
static bool is_short(const struct clock_choice *slices, const struct model *model)
{
    uint64_t begin = 0;

    for (size_t i = 0; i < model->step_count && model->steps[i].last <= slices->from; i++)
        begin = model->steps[i].time;
    return (double)(model->steps[model->step_count - 1].time - begin) / 1e9 < RULE_BUILDING_MOST;
}

/* Decides which ticks of each clock count: of loops, the turns of those that still run. */
static void begin_clocks(struct clock_choice clocks[LEDGER_CLOCKS], const struct model *model,
                         struct arena *arena)
{
    struct clock_choice *loop = &clocks[CLOCK_loop], *outer = &clocks[CLOCK_outer];
    const struct phase_loop *first;
    struct phases phases;

    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        clocks[i] = (struct clock_choice){.id = (enum clock_id)i};
    phases_read(&phases, model, arena);
    if (phases.loop_count == 0)
        return;
    loop->loop = best_loop(&phases);
    first = first_loop(&phases);
    if (!loop->loop) {
        loop->base = outer->base = UINT64_MAX;
        loop->loop = first ? NULL : last_worker(&phases);
        loop->over = loop->loop != NULL;
        loop->from = loop->over ? loop->loop->from : 0;
        if (!first)
            begin_slices(&clocks[CLOCK_time], model);
        return;
    }
    loop->from = loop->loop->from;
    outer->base = first->around;
    outer->from = first->from;
}

void clock_choose(struct clock_choice *out, const struct model *model, struct arena *arena)
{
    struct clock_choice clocks[LEDGER_CLOCKS];
    struct span spans[LEDGER_CLOCKS] = {{0, 0, 0, 0}};
    const char *why = "no step was recorded";
    unsigned id = CLOCK_time;
    const struct span *span;

    begin_clocks(clocks, model, arena);
    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        if (!clocks[i].over)
            spans[i] = span_of(model, &clocks[i]);
    if (model->step_count > 0)
        id = pick(model, spans, &why);
    if (id == CLOCK_time && clocks[CLOCK_loop].over && is_short(&clocks[CLOCK_time], model)) {
        id = CLOCK_loop;
        spans[id] = span_of(model, &clocks[id]);
        why = "no steps were found; a loop turned, and too little followed it";
    }
    span = &spans[id];
    *out = clocks[id];
    out->reason = arena_print(arena, "%s", why);
    out->ticks = span->ticks;
    out->waits = mostly_waits(model);
    if (span->ticks > span->begin && span->last > span->first)
        out->seconds =
            (double)(span->last - span->first) / 1e9 / (double)(span->ticks - span->begin);
}

double clock_scale(const struct clock_choice *clock)
{
    return clock->id == CLOCK_time && clock->seconds > 0 ? 1 / clock->seconds : 1;
}
