/* native_cause.c - see native_cause.h. */
#include "doctor/judge/native_cause.h"

#include "base/mem.h"
#include "doctor/measure/visit.h"
#include "doctor/source/places.h"
#include "ledger/model.h"

static bool is_of(const struct model *model, const struct model_block *block, uint32_t site)
{
    const struct model_site *own = block->site > 0 ? &model->sites[block->site - 1] : NULL;

    return own && own->stack == model->sites[site].stack && own->kind == model->sites[site].kind;
}

uint32_t native_cause_part(const struct model *model, uint32_t site)
{
    uint64_t *bytes = mem_zalloc_array(model->frame_count + 1, sizeof(*bytes));
    uint32_t best = 0;

    for (size_t i = 0; bytes && i < model->block_count; i++)
        if (is_of(model, &model->blocks[i], site))
            bytes[model->blocks[i].native] += model->blocks[i].weight;
    for (uint32_t id = 1; bytes && id <= model->frame_count; id++)
        if (bytes[id] > bytes[best])
            best = id;
    mem_free(bytes);
    return best;
}

static void find(struct visit *visit, struct finding *finding)
{
    const struct model *model = visit->model;
    const uint32_t stack = model->sites[finding->site - 1].stack;
    const bool native = model_frame_kind(model_frame(model, stack)) == FRAME_NATIVE;

    places_left_out(visit->places, stack, &finding->library_at, &finding->library_count);
    places_native(visit->places, native ? stack : native_cause_part(model, finding->site - 1), native,
                  &finding->native, &finding->native_count);
}

void native_cause_find(struct visit *visit)
{
    for (size_t i = 0; visit->places && i < visit->finding_count; i++)
        if (visit->findings[i].site > 0 && visit->findings[i].site <= visit->model->site_count)
            find(visit, &visit->findings[i]);
}
