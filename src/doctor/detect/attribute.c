/* attribute.c - see attribute.h. */
#include "doctor/detect/attribute.h"

#include "doctor/facts/pools.h"
#include "doctor/held/reach.h"
#include "doctor/measure/imports.h"
#include "doctor/source/places.h"

bool attribute_loading(const struct visit *visit, uint32_t site)
{
    return visit->clock.id == CLOCK_time && imports_made(visit->model, site);
}

void attribute_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events)
{
    (void)reach_of(out, visit->model, site, events, visit->places, visit->arena);
}

void attribute_pool(struct finding *out, const struct visit *visit, uint32_t site)
{
    struct pool pool;

    if (site >= visit->model->site_count || visit->model->sites[site].kind != SITE_MAP ||
        !pools_made(visit->model, site, &pool))
        return;
    fact_add(out, (struct fact){.id = FACT_mapped_by, .text = pool.name});
    out->advice_code = pool.code;
}

void attribute_locate(struct finding *out, const struct visit *visit, uint32_t site)
{
    out->site = site < visit->model->site_count ? site + 1 : 0;
    if (visit->places && site < visit->model->site_count)
        places_of(visit->places, visit->model->sites[site].stack, &out->allocated_at,
                  &out->allocated_count);
    attribute_pool(out, visit, site);
}
