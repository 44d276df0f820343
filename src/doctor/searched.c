/* searched.c - see searched.h. */
#include "doctor/searched.h"

#include <string.h>

#include "doctor/owners.h"
#include "doctor/places.h"
#include "doctor/reach.h"

bool searched_is_at(const struct visit *visit, uint32_t site, const struct place *line)
{
    const struct place *places;
    size_t count;

    places_of(visit->places, visit->model->sites[site].stack, &places, &count);
    return count > 0 && places->line == line->line && places->file &&
           strcmp(places->file, line->file) == 0;
}

static bool is_alike(const struct model_site *left, const struct model_site *right)
{
    return left->kind == right->kind && left->class_index == right->class_index;
}

/* A value in use may be one that nobody has cleared: where such a path leads by way of native memory it
 * says little, and so does one that begins there. */
static bool is_doubtful(const struct visit *visit, uint32_t site)
{
    const struct holder_record *record = reach_record(visit->model, site);
    const struct holder_step *path;
    const size_t count = record ? owners_path(visit->model, record, visit->arena, &path) : 0;

    if (count > 0 && path[0].kind == OWNER_RUNTIME)
        return true;
    if (count < 3 || path[count - 1].kind != OWNER_NATIVE)
        return false;
    /* A variable of which nothing but native memory is known holds one thing, not one per step. */
    return (path[0].kind == OWNER_FRAME && path[1].kind == OWNER_PART) ||
           (count == 3 && path[1].length == 0);
}

/* The latest site of this line whose holders are known well; UINT32_MAX: none. */
static uint32_t known_at(const struct visit *visit, uint32_t site, const struct place *line,
                         bool any_size)
{
    const struct model *model = visit->model;

    for (size_t i = model->holder_count; i-- > 0;) {
        const uint32_t number = model->holders[i].site;

        if (number > 0 && reach_known(model, number - 1) &&
            (is_alike(&model->sites[number - 1], &model->sites[site]) ||
             (any_size && model->code_count > 0)) &&
            searched_is_at(visit, number - 1, line) && !is_doubtful(visit, number - 1))
            return number - 1;
    }
    return UINT32_MAX;
}

uint32_t searched_site(const struct visit *visit, uint32_t site, const struct place *line)
{
    uint32_t other;

    if (!visit->places || !line || !line->line || !line->file ||
        (reach_known(visit->model, site) && !is_doubtful(visit, site)))
        return site;
    other = known_at(visit, site, line, false);
    if (other == UINT32_MAX)
        other = known_at(visit, site, line, true);
    return other == UINT32_MAX ? site : other;
}
