/* collected.c - see collected.h. What one runtime reads differently from another is in
 * doctor/runtime/. */
#include "doctor/measure/collected_parts.h"

#include "doctor/facts/rules.h"
#include "doctor/measure/holder_records.h"
#include "doctor/measure/runtime.h"

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

uint64_t collected_last_tick(const struct model *model)
{
    for (size_t i = model->step_count; i-- > 0;)
        if (model->steps[i].ticked & ~(1u << CLOCK_time))
            return model->steps[i].last;
    return 0;
}

bool collected_alike(const struct model *model, uint32_t number, const struct model_site *site, bool exact)
{
    const struct model_site *other = number > 0 ? &model->sites[number - 1] : NULL;

    return number > 0 && number <= model->site_count && other->stack == site->stack &&
           (!exact || other == site) && site_is_tensor(other->kind) == site_is_tensor(site->kind);
}

void collected_count(struct collected *out, const struct model *model, const struct model_site *site,
                     const struct collection *collection, bool exact)
{
    out->asked = true;
    out->made = collection->made;
    out->released = out->alive = 0;
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (death->death < collection->begin || death->birth >= collection->made ||
            !collected_alike(model, death->site, site, exact))
            continue;
        out->released += death->death < collection->end;
        out->alive += death->death >= collection->end;
    }
    for (size_t i = 0; i < model->block_count; i++)
        out->alive += model->blocks[i].birth < collection->made &&
                      collected_alike(model, model->blocks[i].site, site, exact);
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
    const uint64_t ticked = collected_last_tick(model);

    return ticked ? ticked : last_step(model);
}

static bool is_at_end(const struct model *model, const struct intervention_record *collection)
{
    return collection->ordinal > collected_last_work(model);
}

/* The program released the block at its end, before the collection that tare requested there. */
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
            out->released++; /* live bytes of the heap do not include small objects */
            out->bytes += model->sites[death->site - 1].kind == SITE_HEAP ? death->size : 0;
        }
        out->alive += death->death > collection->ordinal;
        out->gone += went_before(model, death, collection);
    }
    for (size_t i = 0; i < model->block_count; i++)
        out->alive += same_stack(model, model->blocks[i].site, stack) &&
                      model->blocks[i].birth < collection->ordinal;
}

/* The interpreter collected often in the second half of the run. These collections would have
 * freed the garbage of every step. So what the last collection freed had been held, by a
 * function that has returned. */
static bool collects_often(const struct model *model)
{
    const uint64_t half = model->step_count / 2;

    return model->step_count > 1 &&
           model->steps[model->step_count - 1].gauges[GAUGE_python_collections] >=
               model->steps[half].gauges[GAUGE_python_collections] + RULE_COLLECTS_OFTEN;
}

/* At the end of the program its functions have returned, so a collection there may release what
 * was held all the time. A collection in the middle of the run counts instead if it examined
 * enough blocks. If a search before the end found who held them, or the interpreter collected
 * often, the last collection is marked late. */
void collected_requested(struct collected *out, const struct model *model, uint32_t site)
{
    const struct intervention_record *last = collection_before(model, UINT64_MAX), *middle;
    const uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    *out = (struct collected){.asked = last != NULL};
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
            last = middle; /* which may be at the end, too */
        }
    }
    out->late = is_at_end(model, last) &&
                (collects_often(model) || holder_held_before(model, site, last->ordinal));
}

void collected_of(struct collected *out, const struct model *model, uint32_t site)
{
    runtime_of(model)->collected(out, model, site);
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
                series_tick(series, death->birth) > tick && collected_alike(model, death->site, of, false);
    }
    for (size_t i = 0; i < model->block_count; i++)
        left += model->blocks[i].birth < collected->made &&
                series_tick(series, model->blocks[i].birth) > tick &&
                collected_alike(model, model->blocks[i].site, of, false);
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
