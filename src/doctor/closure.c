/* closure.c - see closure.h. */
#include "doctor/closure.h"

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/remedies.h"
#include "doctor/resident.h"

static uint64_t live_at(const struct point *point)
{
    return point->live_min + point->mapped;
}

static uint64_t arenas_at(const struct point *point)
{
    return point->arenas;
}

static uint64_t resident_at(const struct point *point)
{
    return point->resident;
}

/* What may rise, and by how much before it counts: so many bytes, and so large a share of the process. */
static const struct quantity {
    const char *name;
    uint64_t (*read)(const struct point *point);
    uint64_t least;
    double share;
    bool resident;
} quantities[] = {
    {"Live memory", live_at, RULE_CLOSED_LIVE, RULE_CLOSED_SHARE, false},
    {"The memory that the interpreter has mapped for small objects", arenas_at, RULE_CLOSED_LIVE,
     RULE_CLOSED_SHARE, false},
    {"The resident size", resident_at, RULE_GAP_BYTES, RULE_CLOSED_RESIDENT, true},
};

/* Least of each eighth of the ticks behind the first quarter. False: a part has no point. */
static bool read_parts(uint64_t parts[RULE_SEGMENTS], const struct series *series,
                       const struct quantity *quantity)
{
    const uint64_t from = series->ticks / 4, width = (series->ticks - from) / RULE_SEGMENTS;

    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        const uint64_t begin = series->ticks - (RULE_SEGMENTS - i) * width;

        parts[i] = UINT64_MAX;
        for (size_t k = series_after(series, begin);
             k < series->count && series->points[k].tick <= begin + width; k++) {
            const uint64_t value = quantity->read(&series->points[k]);

            parts[i] = value < parts[i] ? value : parts[i];
        }
        if (parts[i] == UINT64_MAX)
            return false;
    }
    return width > 0;
}

/* By how much it rose; 0: it did not rise nearly everywhere, nor in stairs that never fall, or no longer
 * does. */
static uint64_t rise_of(const uint64_t parts[RULE_SEGMENTS])
{
    const unsigned last = RULE_SEGMENTS - 1;
    const uint64_t rise = parts[last] > parts[0] ? parts[last] - parts[0] : 0;
    const uint64_t late = parts[last] > parts[last - 2] ? parts[last] - parts[last - 2] : 0;
    unsigned rises = 0, falls = 0;

    for (unsigned i = 0; i < last; i++) {
        rises += parts[i + 1] > parts[i];
        falls += parts[i + 1] < parts[i];
    }
    if (rises < RULE_RISES_NEEDED && (rises < RULE_CLOSED_STAIRS || falls > 0))
        return 0;
    return (double)late >= RULE_PACE * (double)rise * 2 / last ? rise : 0;
}

/* Another finding tells of it, or the rules along this clock cannot see it. */
static bool is_explained(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note && visit->findings[i].kind != KIND_plateau)
            return true;
    return visit->series.ticks < RULE_CLOSED_TICKS || visit->series.slices ||
           collected_by_script(visit->model);
}

static void report(struct visit *visit, const struct quantity *quantity, uint64_t rise)
{
    struct finding *out = visit_add(visit);
    const uint64_t seen = visit->series.ticks - visit->series.ticks / 4;
    char size[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];
    const double rate = (double)rise / (double)seen * clock_scale(&visit->clock);

    if (!out)
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = visit->series.ticks / 4 + 1;
    out->more_steps = visit->series.ticks;
    out->rate = (struct interval){rate, 0, 2 * rate};
    out->remedy = remedy_of(REMEDY_longer);
    out->summary = arena_print(
        visit->arena, "%s rose by %s over the last %s steps, and nothing was found that explains it.",
        quantity->name, text_size(size, rise), text_count(count, seen));
}

void closure_check(struct visit *visit)
{
    const struct model *model = visit->model;

    if (is_explained(visit))
        return;
    for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++) {
        const struct quantity *quantity = &quantities[i];
        uint64_t parts[RULE_SEGMENTS], rise;

        if (!read_parts(parts, &visit->series, quantity))
            continue;
        rise = rise_of(parts);
        if (rise < quantity->least || (double)rise < quantity->share * visit_resident(visit) ||
            (quantity->resident && resident_is_files(model, visit->run, &visit->series, rise)))
            continue;
        report(visit, quantity, rise);
        return;
    }
}
