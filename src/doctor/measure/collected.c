/* collected.c - see collected.h.
 *
 * The variables of a Python module live until the interpreter is taken down: a collection at the end
 * finds them held. Those of a JavaScript module are gone when its last callback has run: there a
 * collection at the end releases what was held all along, and only one in the middle of the run
 * tells the two apart. The engine's own full collections do as well as one that was asked for.
 */
#include "doctor/measure/collected.h"

#include "doctor/measure/holder_records.h"
#include "doctor/facts/rules.h"

/* Of the blocks born before `made`: those that died from `begin` on were released, those that died
 * from `end` on were alive until then. */
struct collection {
    uint64_t made, begin, end; /* ordinals */
};

bool collected_by_script(const struct model *model)
{
    /* Its adapter tells the size of its heap, also where no line of it was ever needed. */
    return model->script_count > 0 ||
           (model->step_count > 0 && model->code_count == 0 &&
            model->steps[model->step_count - 1].gauges[GAUGE_heap_used] > 0);
}

bool collected_device(const struct model *model)
{
    return model->step_count > 0 && model->steps[model->step_count - 1].gauges[GAUGE_device_taken] > 0;
}

bool collected_is_script(const struct model *model, uint32_t stack)
{
    return model_frame_kind(model_frame(model, stack)) == FRAME_JS;
}

/* The least of the steps [from, to), where it was read. */
static uint64_t least_external(const struct model *model, size_t from, size_t to)
{
    uint64_t least = UINT64_MAX;

    for (size_t i = from; i < to; i++) {
        const uint64_t external = model->steps[i].gauges[GAUGE_external];

        least = external && external < least ? external : least;
    }
    return least;
}

/* Buffers that are garbage come and go: the least of the first half and of the last quarter count. */
bool collected_counted(const struct model *model, const struct model_site *site)
{
    const size_t count = model->step_count;
    const uint64_t first = least_external(model, 0, (count + 1) / 2);
    const uint64_t last = least_external(model, count - count / 4, count);

    return last != UINT64_MAX && last > first && last - first >= site->live_weight / 2;
}

bool collected_all(const struct intervention_record *record)
{
    return record->kind == INTERVENTION_COLLECT || record->kind == INTERVENTION_SNAPSHOT;
}

static const struct intervention_record *collection_before(const struct model *model,
                                                           uint64_t ordinal)
{
    for (size_t i = model->intervention_count; i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_COLLECT &&
            model->interventions[i].ordinal < ordinal)
            return &model->interventions[i];
    return NULL;
}

/* The ordinal of the last step that a clock other than time has ended; 0: none. Slices of time
 * continue while tare examines a finished program. After that step the function that held
 * everything may have returned. */
static uint64_t last_ticked(const struct model *model)
{
    for (size_t i = model->step_count; i-- > 0;)
        if (model->steps[i].ticked & ~(1u << CLOCK_time))
            return model->steps[i].last;
    return 0;
}

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
struct ending {
    size_t first;  /* index of the first record, at least 1 */
    uint64_t part; /* less than one part in so many of what is there is not a fall */
};

static struct ending ending_of(const struct model *model)
{
    const struct step_record *last = &model->steps[model->step_count - 1];
    const uint64_t slices = last->clock[CLOCK_time], ticks = most_ticks(last);
    size_t i = model->step_count - 1;

    if (slices > ticks) {
        while (i > 1 && (slices - model->steps[i - 1].clock[CLOCK_time]) * END_SLICES <= slices)
            i--;
        return (struct ending){i, END_FALL};
    }
    while (i > 1 && ticks - most_ticks(&model->steps[i - 1]) <= END_TICKS)
        i--;
    return (struct ending){i, UINT64_MAX};
}

/* When the last line of a script has run, what it held is garbage. The engine may collect it before the
 * adapter hears of the end, and to release a gigabyte takes many slices of time. */
uint64_t collected_end_fall(const struct model *model)
{
    const size_t count = model->step_count;
    uint64_t most = 0, fall = 0;
    struct ending ending;

    if (count < 2 || model->head.state == STATE_RUNNING || !collected_by_script(model) ||
        collected_device(model))
        return 0;
    ending = ending_of(model);
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
    const uint64_t fall = collected_end_fall(model), ticked = last_ticked(model);

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

/* Tensors are not blocks, though one line may make both. `exact`: of this size class alone. */
static bool is_alike(const struct model *model, uint32_t number, const struct model_site *site,
                     bool exact)
{
    const struct model_site *other = number > 0 ? &model->sites[number - 1] : NULL;

    return number > 0 && number <= model->site_count && other->stack == site->stack &&
           (!exact || other == site) && site_is_tensor(other->kind) == site_is_tensor(site->kind);
}

static void count_blocks(struct collected *out, const struct model *model, const struct model_site *site,
                         const struct collection *collection, bool exact)
{
    out->asked = true;
    out->made = collection->made;
    out->released = out->alive = 0;
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (death->death < collection->begin || death->birth >= collection->made ||
            !is_alike(model, death->site, site, exact))
            continue;
        out->released += death->death < collection->end;
        out->alive += death->death >= collection->end;
    }
    for (size_t i = 0; i < model->block_count; i++)
        out->alive += model->blocks[i].birth < collection->made &&
                      is_alike(model, model->blocks[i].site, site, exact);
}

/* One line may make what stays and what goes, of different sizes: each size speaks for itself where there
 * are enough of it. */
static void count_script(struct collected *out, const struct model *model, const struct model_site *site,
                         const struct collection *collection)
{
    count_blocks(out, model, site, collection, true);
    if (out->released + out->alive < RULE_SURVIVORS)
        count_blocks(out, model, site, collection, false);
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
        return is_alike(model, number, site, false);
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

bool collected_waited(const struct model *model)
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
                                  .went = went_at_end(model, site, site->last) || collected_waited(model)};
        return;
    }
    *out = (struct collected){.late = late != NULL, .script = true};
    if (late)
        count_script(out, model, site, &(struct collection){late->ordinal, late->ordinal, UINT64_MAX});
}

static bool same_stack(const struct model *model, uint32_t number, uint32_t stack)
{
    return number > 0 && number <= model->site_count && model->sites[number - 1].stack == stack;
}

static uint64_t last_step(const struct model *model)
{
    return model->step_count > 0 ? model->steps[model->step_count - 1].last : 0;
}

uint64_t collected_last_work(const struct model *model)
{
    const uint64_t ticked = last_ticked(model);

    return ticked ? ticked : last_step(model);
}

static bool is_at_end(const struct model *model, const struct intervention_record *collection)
{
    return collection->ordinal > collected_last_work(model);
}

/* Released by itself at the program's end, before the collection that was asked for then. */
static bool went_before(const struct model *model, const struct death_record *death,
                        const struct intervention_record *collection)
{
    const uint64_t last = last_step(model);

    return collection->ordinal > last && death->death == last && death->birth < last;
}

static void count(struct collected *out, const struct model *model, uint32_t stack,
                  const struct intervention_record *collection)
{
    *out = (struct collected){.asked = true,
                              .freed = collection->live_before > collection->live_after
                                           ? collection->live_before - collection->live_after
                                           : 0};
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (!same_stack(model, death->site, stack) || death->birth >= collection->ordinal)
            continue;
        if (death->death == collection->ordinal) {
            out->released++; /* small objects take no part in the heap's live bytes */
            out->bytes += model->sites[death->site - 1].kind == SITE_HEAP ? death->size : 0;
        }
        out->alive += death->death > collection->ordinal;
        out->gone += went_before(model, death, collection);
    }
    for (size_t i = 0; i < model->block_count; i++)
        out->alive += same_stack(model, model->blocks[i].site, stack) &&
                      model->blocks[i].birth < collection->ordinal;
}

/* The interpreter's own collections in the second half of the run. The garbage of every step would have
 * gone with them: what was still there was held, by a function that has returned since. */
static bool collects_often(const struct model *model)
{
    const uint64_t half = model->step_count / 2;

    return model->step_count > 1 &&
           model->steps[model->step_count - 1].gauges[GAUGE_python_collections] >=
               model->steps[half].gauges[GAUGE_python_collections] + RULE_COLLECTS_OFTEN;
}

/* The variables of a function are gone when it has returned: at the very end a collection may release
 * what was held all along. One in the middle of the run, that met enough blocks, says more; and so does
 * a search of that time that found who held them. */
void collected_of(struct collected *out, const struct model *model, uint32_t site)
{
    const struct intervention_record *last = collection_before(model, UINT64_MAX), *middle;
    const uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    *out = (struct collected){.asked = last != NULL};
    if (stack && collected_by_script(model)) {
        *out = (struct collected){.asked = false};
        if (model->sites[site].kind != SITE_TENSOR) /* that no collector releases */
            of_script(out, model, &model->sites[site]);
        return;
    }
    if (!last || !stack)
        return;
    count(out, model, stack, last);
    middle = collection_before(model, last->ordinal);
    if (middle && is_at_end(model, last)) {
        struct collected before;

        count(&before, model, stack, middle);
        if (before.released + before.alive >= RULE_SURVIVORS &&
            (before.released + before.alive) * RULE_COLLECTED >= out->released + out->alive) {
            *out = before;
            return;
        }
    }
    out->late = is_at_end(model, last) &&
                (collects_often(model) || holder_held_before(model, site, last->ordinal));
}

static bool was_released(const struct collected *collected)
{
    return collected->asked && !collected->late &&
           collected->released > collected->alive + collected->gone &&
           (collected->script || collected->freed >= collected->bytes / 2);
}

bool collected_lag(const struct collected *collected)
{
    return (collected->turnless && collected->went) || was_released(collected);
}

uint64_t collected_left(const struct collected *collected, const struct model *model,
                        const struct series *series, uint32_t site, uint64_t tick)
{
    const struct model_site *of = &model->sites[site];
    uint64_t left = 0;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        left += death->birth < collected->made && death->death > collected->made &&
                series_tick(series, death->birth) > tick && is_alike(model, death->site, of, false);
    }
    for (size_t i = 0; i < model->block_count; i++)
        left += model->blocks[i].birth < collected->made &&
                series_tick(series, model->blocks[i].birth) > tick &&
                is_alike(model, model->blocks[i].site, of, false);
    return left;
}

double collected_bytes(const struct model *model)
{
    const struct intervention_record *last = collection_before(model, UINT64_MAX);

    return last && last->live_before > last->live_after
               ? (double)(last->live_before - last->live_after)
               : 0;
}

uint64_t collected_at_work(const struct model *model, const struct series *series)
{
    const uint64_t end = model->step_count > 0 ? model->steps[model->step_count - 1].last : 0;
    const struct intervention_record *collection = collection_before(model, end);

    return collection ? series_tick(series, collection->ordinal) : 0;
}

bool collected_since(const struct model *model, const struct series *series, uint64_t tick)
{
    const size_t after = series_after(series, tick);
    const struct intervention_record *collection = collection_before(model, UINT64_MAX);

    if (collection && series_tick(series, collection->ordinal) > tick)
        return true;
    return after < series->count &&
           series->points[series->count - 1].full > series->points[after].full;
}
