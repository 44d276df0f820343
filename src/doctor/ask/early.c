/* early.c - see early.h. */
#include "doctor/ask/early.h"

#include "base/mem.h"
#include "doctor/measure/imports.h"
#include "doctor/held/reach.h"
#include "ledger/model.h"

#define PARTS 64   /* of the run, in which a block may have been made */
#define SPREAD 3 /* parts with something that is still there, or times that one was resized */

struct stay {
    uint64_t parts; /* a bit for each part of the run */
    double bytes;
};

static void count(struct stay *stays, const struct model *model)
{
    const uint64_t last = model->steps[model->step_count - 1].last;

    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site == 0 || block->birth <= 1 || block->birth > last)
            continue; /* set-up, or younger than the last step */
        stays[block->site - 1].parts |=
            block->grown >= SPREAD ? ~0ull : 1ull << (block->birth - 1) * PARTS / last % PARTS;
        stays[block->site - 1].bytes += (double)block->weight;
    }
}

static bool is_wanted(const struct model *model, bool objects, const struct stay *stay,
                      uint32_t site)
{
    const uint32_t kind = model->sites[site].kind;

    return __builtin_popcountll(stay->parts) >= SPREAD &&
           (kind == SITE_HEAP || (objects && kind == SITE_OBJECT)) &&
           !imports_made(model, site) && !reach_known(model, site);
}

/* Takes the place of a smaller one. */
static size_t insert(uint32_t *sites, size_t used, size_t max, const struct stay *stays, uint32_t site)
{
    size_t at = used < max ? used : max;

    while (at > 0 && stays[sites[at - 1] - 1].bytes < stays[site].bytes) {
        if (at < max)
            sites[at] = sites[at - 1];
        at--;
    }
    if (at < max)
        sites[at] = site + 1;
    return used < max ? used + 1 : max;
}

size_t early_sites(const struct model *model, bool objects, uint32_t *sites, size_t max)
{
    struct stay *stays;
    size_t used = 0;

    if (model->step_count == 0 || model->site_count == 0)
        return 0;
    stays = mem_zalloc_array(model->site_count, sizeof(*stays));
    if (!stays)
        return 0;
    count(stays, model);
    for (uint32_t i = 0; i < model->site_count; i++)
        if (is_wanted(model, objects, &stays[i], i))
            used = insert(sites, used, max, stays, i);
    mem_free(stays);
    return used;
}
