/* devices.c - see devices.h. */
#include "doctor/run/devices.h"

#include <string.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/source/places.h"
#include "ledger/model.h"

static const struct place *place_of_site(const struct model *model, uint32_t site, struct places *places)
{
    const struct place *list;
    size_t count;

    if (!places || site == 0 || site > model->site_count)
        return NULL;
    places_of(places, model->sites[site - 1].stack, &list, &count);
    return count > 0 ? list : NULL;
}

void device_summary_make(struct device_summary *out, const struct model *model, size_t device,
                         struct places *places, struct arena *arena)
{
    const struct device_record *record = &model->devices[device].record;
    const char *name = model->devices[device].name;

    *out = (struct device_summary){.index = record->index,
                                   .name = *name ? arena_print(arena, "%s", name) : NULL,
                                   .seen = record->seen != 0,
                                   .memory = record->memory,
                                   .used = record->used,
                                   .taken = record->taken,
                                   .most = record->most,
                                   .blocks = record->blocks,
                                   .pool = record->pool,
                                   .pool_used = record->pool_used,
                                   .asked = record->asked != 0,
                                   .returnable = record->returnable,
                                   .pinned = record->pinned,
                                   .pinned_by = place_of_site(model, record->pinning_site, places),
                                   .failed_bytes = record->failed_bytes,
                                   .failed_used = record->failed_used,
                                   .failed_taken = record->failed_taken,
                                   .failed_free = record->failed_free,
                                   .failed_ordinal = record->failed_ordinal};
    memcpy(out->roles, record->roles, sizeof(out->roles));
}

bool devices_are_measured(const struct model *model)
{
    for (size_t i = 0; i < model->device_count; i++) {
        const struct device_record *record = &model->devices[i].record;

        if (record->seen || (record->taken > 0 && record->taken >= record->used))
            return true;
    }
    return false;
}
