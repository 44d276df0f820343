/* pools.c - see pools.h. */
#include "doctor/facts/pools.h"

#include <string.h>

static const struct {
    const char *begins, *name, *code;
} known[] = {
#define POOL(begins, name, code) {begins, name, code},
#include "doctor/facts/pools.def"
#undef POOL
};

static bool pool_of_module(const struct model *model, uint32_t unit, struct pool *out)
{
    const char *path, *slash;

    if (unit == 0 || unit > model->module_count)
        return false;
    path = model->modules[unit - 1].path;
    slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strncmp(path, known[i].begins, strlen(known[i].begins)) == 0) {
            *out = (struct pool){.name = known[i].name,
                                 .code = known[i].code[0] ? known[i].code : NULL};
            return true;
        }
    return false;
}

size_t pools_of(const struct model *model, struct pool pools[POOLS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < model->map_count; i++) {
        const struct map_record *map = &model->maps[i];
        struct pool pool;
        size_t at = 0;

        if (map->kind != SITE_MAP || !pool_of_module(model, map->unit, &pool))
            continue;
        while (at < count && strcmp(pools[at].name, pool.name) != 0)
            at++;
        if (at == POOLS_MAX)
            continue;
        if (at == count)
            pools[count++] = pool;
        pools[at].mapped += map->length;
        pools[at].resident += map->resident < map->length ? map->resident : map->length;
    }
    return count;
}

bool pools_made(const struct model *model, uint32_t site, struct pool *out)
{
    const struct model_frame *frame = model_site_frame(model, site);

    for (size_t i = 0; i < model->map_count; i++)
        if (model->maps[i].site == site + 1 && pool_of_module(model, model->maps[i].unit, out))
            return true;
    return model_frame_kind(frame) == FRAME_NATIVE && pool_of_module(model, frame->unit, out);
}
