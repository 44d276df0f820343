/* js_collected.c - see js_collected.h. */
#include "doctor/runtime/js_collected.h"

#include "doctor/facts/rules.h"
#include "doctor/measure/collected_parts.h"
#include "doctor/runtime/script.h"

#define CALLBACK_NEAR 8 /* ordinals */
#define END_TICKS 3     /* so many last ticks of a loop may be part of the end */
#define END_SLICES 8    /* if time is the clock, one part in so many of the slices may be part of it */
#define END_FALL 64     /* with slices: the end releases at least one part in so many */

/* The ordinal after the last tick of any clock. What comes then is the program's end, or just before it. */
static uint64_t after_ticks(const struct model *model)
{
    for (size_t i = model->step_count; i-- > 0;)
        if (model->steps[i].ticked)
            return model->steps[i].last + 1;
    return model->totals.ordinal;
}

/* Of the clock that ticked most beside time. */
static uint64_t most_ticks(const struct step_record *step)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < LEDGER_CLOCKS; i++)
        if (i != CLOCK_time && step->clock[i] > most)
            most = step->clock[i];
    return most;
}

/* What may be part of the end of a script. */
struct end_part {
    size_t first;  /* index of the first record, at least 1 */
    uint64_t part; /* less than one part in so many of what is there is not a fall */
};

static struct end_part end_part_of(const struct model *model)
{
    const struct step_record *last = &model->steps[model->step_count - 1];
    const uint64_t slices = last->clock[CLOCK_time], ticks = most_ticks(last);
    size_t i = model->step_count - 1;

    if (slices > ticks) {
        while (i > 1 && (slices - model->steps[i - 1].clock[CLOCK_time]) * END_SLICES <= slices)
            i--;
        return (struct end_part){i, END_FALL};
    }
    while (i > 1 && ticks - most_ticks(&model->steps[i - 1]) <= END_TICKS)
        i--;
    return (struct end_part){i, UINT64_MAX};
}

/* When the last line of a script has run, what it held is garbage. The engine may collect it before the
 * adapter hears of the end, and to release a gigabyte takes many slices of time. */
uint64_t js_end_fall(const struct model *model)
{
    const size_t count = model->step_count;
    uint64_t most = 0, fall = 0;
    struct end_part ending;

    if (count < 2 || model->head.state == STATE_RUNNING ||
        collected_device(model))
        return 0;
    ending = end_part_of(model);
    if (model->steps[ending.first - 1].gauges[GAUGE_collections] ==
        model->steps[count - 1].gauges[GAUGE_collections])
        return 0;
    for (size_t i = count; i-- > ending.first;) {
        const uint64_t before = model->steps[i - 1].live_min;

        most = model->steps[i].live_min > most ? model->steps[i].live_min : most;
        if (most < before && before - most >= before / ending.part)
            fall = model->steps[i].first;
    }
    return fall;
}

/* A script that has called process.exit() has not returned to its event loop: the latest turn may then be
 * long over, the one in which it was loaded. */
static uint64_t end_of_work(const struct model *model)
{
    const uint64_t fall = js_end_fall(model), ticked = collected_last_tick(model);

    if (fall)
        return fall;
    return ticked && ticked + CALLBACK_NEAR >= model->totals.ordinal ? ticked : after_ticks(model);
}

/* Of a program that is over: when it last did something. */
static uint64_t end_of_run(const struct model *model)
{
    return model->head.state != STATE_RUNNING ? end_of_work(model) : UINT64_MAX;
}

/* The first ordinal of the step with the engine's second-to-last full collection; 0: none. The
 * engine marks for many steps, and blocks made during that time stay until the next collection,
 * garbage or not. But it does not begin to mark before the previous collection is over. The last
 * step of a finished program is part of its end. */
static uint64_t own_collection(const struct model *model)
{
    const uint64_t end = end_of_run(model);
    uint64_t seen = 0;

    for (size_t i = model->step_count; i-- > 1;) {
        const uint64_t before = model->steps[i - 1].gauges[GAUGE_collections];
        const uint64_t behind = model->steps[i].gauges[GAUGE_collections];

        if (model->steps[i].last < end && behind > before)
            seen += behind - before;
        if (seen >= 2)
            return model->steps[i].first;
    }
    return 0;
}

/* One line may make what stays and what goes, of different sizes: each size speaks for itself where there
 * are enough of it. */
static void count_script(struct collected *out, const struct model *model, const struct model_site *site,
                         const struct collection *collection)
{
    collected_count(out, model, site, collection, true);
    if (out->released + out->alive < RULE_SURVIVORS)
        collected_count(out, model, site, collection, false);
}

/* The last round begins behind the last step; what was asked for in that step may have come after the
 * last line of the program, too. */
static bool in_last_round(const struct model *model, const struct intervention_record *record)
{
    return model->head.state != STATE_RUNNING && record->ordinal >= end_of_work(model);
}

/* Interventions are in order: the latest collection before the last round, and the first one in it. */
static void script_collections(const struct model *model, const struct intervention_record **middle,
                               const struct intervention_record **late)
{
    *middle = *late = NULL;
    for (size_t i = 0; i < model->intervention_count && !*late; i++)
        if (collected_all(&model->interventions[i]))
            *(in_last_round(model, &model->interventions[i]) ? late : middle) = &model->interventions[i];
}

static uint64_t turns_at(const struct model *model, uint64_t ordinal)
{
    for (size_t i = 0; i < model->step_count; i++)
        if (model->steps[i].last >= ordinal)
            return model->steps[i].clock[CLOCK_turn];
    return model->step_count ? model->steps[model->step_count - 1].clock[CLOCK_turn] : 0;
}

/* Finalizers release the memory that a device's library has for a script's objects, in turns of
 * the event loop after the collection. A loop that never waits has no such turn while it works. */
static bool awaits_turn(const struct model *model, const struct model_site *site, uint64_t ordinal)
{
    const uint64_t until = site->last > ordinal ? site->last : UINT64_MAX;

    return site->kind == SITE_HEAP && collected_device(model) &&
           turns_at(model, until) < turns_at(model, ordinal) + COLLECTED_TURNS;
}

/* While a device works, the memory given to it stays. So the device is requested to finish after
 * each collection. A record of that means that it finished while the line was still at work. */
static bool says_something(const struct model *model, const struct model_site *site,
                           const struct intervention_record *one)
{
    const bool device = collected_device(model) && site->kind == SITE_HEAP;

    if (device ? one->kind != INTERVENTION_SYNC || one->ordinal + one->device_steps > site->last
               : !collected_all(one))
        return false;
    return !awaits_turn(model, site, one->ordinal);
}

/* The latest that says something of this site, no later than that ordinal; 0: none. */
static uint64_t told_before(const struct model *model, const struct model_site *site, uint64_t ordinal)
{
    for (size_t i = model->intervention_count; i-- > 0;) {
        const struct intervention_record *one = &model->interventions[i];

        if (one->ordinal <= ordinal && says_something(model, site, one))
            return one->ordinal;
    }
    return 0;
}

/* Of what native code has behind objects: may it be that it only waits for a device? That has buffers of the
 * engine's, too, while they are mapped. */
static bool may_wait(const struct model *model, const struct model_site *site)
{
    return collected_device(model) && site->kind == SITE_HEAP;
}

static bool is_of_heap(const struct model *model, uint32_t number, const struct model_site *site)
{
    if (site)
        return collected_alike(model, number, site, false);
    return number > 0 && number <= model->site_count && model->sites[number - 1].kind == SITE_HEAP;
}

/* The latest collection while the program was at work, its own or asked for; 0: none. */
static uint64_t latest_collection(const struct model *model)
{
    const struct intervention_record *asked, *late;
    const uint64_t own = own_collection(model);

    script_collections(model, &asked, &late);
    return asked && asked->ordinal > own ? asked->ordinal : own;
}

/* Behind that step the program has waited, for its end at the latest: of the blocks of this site that a
 * collection had met before, have more gone then than stayed? `site` NULL: of all that were made in the last
 * three quarters. */
static bool went_at_end(const struct model *model, const struct model_site *site, uint64_t ordinal)
{
    const uint64_t from = site ? 0 : model->steps[model->step_count / 4].last;
    const uint64_t met = latest_collection(model);
    uint64_t released = 0, alive = 0;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        released += death->death >= ordinal && death->birth > from && death->birth < met &&
                    is_of_heap(model, death->site, site);
    }
    for (size_t i = 0; i < model->block_count; i++)
        alive += model->blocks[i].birth > from && model->blocks[i].birth < met &&
                 is_of_heap(model, model->blocks[i].site, site);
    return released >= RULE_SURVIVORS && released > alive;
}

bool js_waited(const struct model *model)
{
    const size_t eighth = model->step_count / 8;
    const struct step_record *first, *last;

    if (!collected_device(model))
        return false;
    first = &model->steps[eighth];
    last = &model->steps[model->step_count - 1 - eighth];
    return last->clock[CLOCK_turn] < first->clock[CLOCK_turn] + COLLECTED_TURNS &&
           went_at_end(model, NULL, last->last);
}

static void of_script(struct collected *out, const struct model *model,
                      const struct model_site *site)
{
    const struct intervention_record *asked, *late;
    /* The collector of the young, too, releases buffers, long before a full collection comes. */
    struct collection middle = {.made = own_collection(model),
                                .begin = 0,
                                .end = collected_device(model) ? UINT64_MAX : end_of_run(model)};
    bool waits;

    script_collections(model, &asked, &late);
    if (late && late->ordinal < middle.end)
        middle.end = late->ordinal;
    out->script = true;
    out->own = !asked || asked->ordinal < middle.made;
    if (!out->own)
        middle.made = asked->ordinal;
    waits = may_wait(model, site);
    if (waits) {
        middle.made = told_before(model, site, late ? late->ordinal : UINT64_MAX);
        out->own &= middle.made == 0;
    }
    if (middle.made > 0)
        count_script(out, model, site, &middle);
    if (out->released + out->alive >= RULE_SURVIVORS)
        return;
    if (waits) {
        /* What the library of a device has set aside for work in flight it keeps for the next. */
        *out = (struct collected){.script = true,
                                  .turnless = true,
                                  .went = went_at_end(model, site, site->last) || js_waited(model)};
        return;
    }
    *out = (struct collected){.late = late != NULL, .script = true};
    if (late)
        count_script(out, model, site, &(struct collection){late->ordinal, late->ordinal, UINT64_MAX});
}

void js_collected(struct collected *out, const struct model *model, uint32_t site)
{
    *out = (struct collected){.asked = false};
    /* No collector releases tensors that the framework itself keeps. */
    if (site < model->site_count && model->sites[site].stack > 0 && model->sites[site].kind != SITE_TENSOR)
        of_script(out, model, &model->sites[site]);
}
