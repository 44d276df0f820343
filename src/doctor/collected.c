/* collected.c - see collected.h. */
#include "doctor/collected.h"

static const struct intervention_record *last_collection(const struct model *model)
{
    for (size_t i = model->intervention_count; i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_COLLECT)
            return &model->interventions[i];
    return NULL;
}

static bool same_stack(const struct model *model, uint32_t number, uint32_t stack)
{
    return number > 0 && number <= model->site_count && model->sites[number - 1].stack == stack;
}

void collected_of(struct collected *out, const struct model *model, uint32_t site)
{
    const struct intervention_record *collection = last_collection(model);
    const uint32_t stack = site < model->site_count ? model->sites[site].stack : 0;

    *out = (struct collected){.asked = collection != NULL};
    if (!collection || !stack)
        return;
    for (size_t i = 0; i < model->death_count; i++)
        out->released += model->deaths[i].death >= collection->ordinal &&
                         model->deaths[i].birth < collection->ordinal &&
                         same_stack(model, model->deaths[i].site, stack);
    for (size_t i = 0; i < model->block_count; i++)
        out->alive += same_stack(model, model->blocks[i].site, stack);
}

bool collected_lag(const struct collected *collected)
{
    return collected->asked && collected->released > collected->alive;
}
