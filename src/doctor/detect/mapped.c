/* mapped.c - see mapped.h. */
#include "doctor/detect/mapped.h"

static bool is_python(const struct model *model, uint32_t site)
{
    return model_frame_kind(model_site_frame(model, site)) == FRAME_PYTHON;
}

bool mapped_is_left(const struct model *model, uint32_t site)
{
    uint64_t left = 0, all = 0;

    for (size_t i = 0; i < model->map_count; i++)
        if (model->maps[i].site == site + 1) {
            all += model->maps[i].length;
            left += model->maps[i].start >= MAP_LEFT ? model->maps[i].length : 0;
        }
    return left > all / 2;
}

/* Python maps and unmaps by itself, so its advice is to release the object. */
enum remedy_name mapped_remedy(const struct model *model, uint32_t site)
{
    if (mapped_is_left(model, site))
        return is_python(model, site) ? REMEDY_unlink_python : REMEDY_unlink;
    if (!is_python(model, site))
        return REMEDY_unmap;
    return model->sites[site].kind == SITE_SHARED ? REMEDY_release_shared : REMEDY_release;
}
