/* survivors.c - see survivors.h. */
#include "doctor/survivors.h"

#include <math.h>

#include "doctor/collected.h"
#include "doctor/places.h"
#include "doctor/searched.h"

/* What was released behind the last tick may have been garbage, but not if a collection had met it. */
static bool stayed(const struct life *life, uint64_t collected)
{
    return !life->death && (!life->later || life->birth < collected);
}

/* Births of the first eighth are set-up, those of the last quarter are young; and what no collection
 * has met may be garbage, where one has been in the second half. */
static uint64_t last_birth(uint64_t n, uint64_t collected)
{
    const uint64_t old = n - n / 4;

    return collected >= n / 2 && collected < old ? collected : old;
}

void survivors_of(struct survivors *out, struct visit *visit, const struct place *line)
{
    const uint64_t n = visit->series.ticks;
    const uint64_t collected = collected_at_work(visit->model, &visit->series);
    const uint64_t from = n / 8, to = last_birth(n, collected), middle = (from + to) / 2;
    double early = 0, late = 0;
    const struct lives *lives;
    uint32_t site = UINT32_MAX;
    bool here = false;

    *out = (struct survivors){0, 0, 0};
    if (!visit->places || !line || !line->file || !line->line || middle == from || to == middle)
        return;
    lives = visit_lives(visit, SERIES_TOTAL);
    for (size_t i = 0; i < lives->count; i++) {
        const struct life *life = &lives->items[i];
        const double bytes = life->units * (double)life->size;

        if (life->site != site) {
            site = life->site;
            here = searched_is_at(visit, site, line);
        }
        if (!here || !stayed(life, collected))
            continue;
        out->bytes += bytes;
        out->blocks += life->units;
        early += life->birth > from && life->birth <= middle ? bytes : 0;
        late += life->birth > middle && life->birth <= to ? bytes : 0;
    }
    out->rate = fmin(early / (double)(middle - from), late / (double)(to - middle));
}
