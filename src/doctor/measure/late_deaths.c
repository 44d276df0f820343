/* late_deaths.c - see late_deaths.h. */
#include "doctor/measure/late_deaths.h"

#include "ledger/model.h"
#include "ledger/site_kind.h"

/* The interval in which this clock ticked last; of time, the last interval. */
static uint64_t last_tick(const struct model *model, enum clock_id clock)
{
    uint64_t last = model_last_ordinal(model), count = UINT64_MAX;

    for (size_t i = model->step_count; i-- > 0 && clock != CLOCK_time && clock != CLOCK_NONE;) {
        if (model->steps[i].clock[clock] < count && count != UINT64_MAX)
            break;
        count = model->steps[i].clock[clock];
        last = model->steps[i].last;
    }
    return last;
}

size_t late_deaths_from(const struct model *model, enum clock_id clock)
{
    const uint64_t end = last_tick(model, clock);
    size_t at = model->death_count;

    while (at > 0 && model->deaths[at - 1].death > end)
        at--;
    return at;
}

double late_death_bytes(const struct model *model, const struct death_record *death)
{
    const struct model_site *site = &model->sites[death->site - 1];
    const bool map = site->kind == SITE_MAP || site->kind == SITE_SHARED;

    return (map ? 1 : model_mean_units(site, death->size)) * (double)death->size;
}

double late_death_blocks(const struct model *model, const struct death_record *death)
{
    return death->size > 0 ? late_death_bytes(model, death) / (double)death->size : 1;
}
