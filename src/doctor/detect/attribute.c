/* attribute.c - see attribute.h. */
#include "doctor/detect/attribute.h"

#include "doctor/detect/growth.h"
#include "doctor/facts/pools.h"
#include "doctor/held/owners.h"
#include "doctor/held/reach.h"
#include "doctor/measure/imports.h"
#include "doctor/source/places.h"

bool attribute_loading(const struct visit *visit, uint32_t site)
{
    return visit->clock.id == CLOCK_time && imports_made(visit->model, site);
}

/* What the holder's path says of the kind: a declared bound, or a keyed store without one. */
void attribute_path(struct finding *out)
{
    if (owners_bounded(out->holder_path, out->holder_count, out->holder_growing))
        out->kind = KIND_plateau;
    else if (owners_unbounded_cache(out->holder_path, out->holder_count, out->holder_growing))
        out->kind = KIND_unbounded_cache;
}

void attribute_hold(struct finding *out, const struct visit *visit, uint32_t site, uint64_t events)
{
    if (reach_of(out, visit->model, site, events, visit->places, visit->arena) == REACH_HELD)
        attribute_path(out);
    out->evicted_nothing &= out->kind != KIND_plateau;
    growth_path(out, visit);
}

/* Memory of a library's own allocator is named, whatever is said of it. */
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
