/* closure.c - see closure.h. */
#include "doctor/closure.h"

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/culprits.h"
#include "doctor/evidence.h"
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

#define LATE 3 /* parts at the end in which it still rises: stairs have flat places */

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

/* What lasts of a quantity: at the end of each eighth of the ticks after the first quarter, the least of all
 * that came later. It never falls. Where something comes and goes, it rises only by what each return left
 * behind. `parts` has one more entry, for the beginning. False: too few points. */
static bool read_parts(uint64_t parts[RULE_SEGMENTS + 1], const struct series *series,
                       const struct quantity *quantity)
{
    const uint64_t width = (series->ticks - series->ticks / 4) / RULE_SEGMENTS;
    size_t at = series->count, points = 0;
    uint64_t least = UINT64_MAX;

    for (unsigned part = RULE_SEGMENTS + 1; part-- > 0;) {
        const uint64_t end = series->ticks - (RULE_SEGMENTS - part) * width;

        for (; at > 0 && series->points[at - 1].tick >= end; at--, points++) {
            const uint64_t value = quantity->read(&series->points[at - 1]);

            least = value < least ? value : least;
        }
        parts[part] = least;
    }
    return points > RULE_SEGMENTS;
}

/* By how much it rose to the end; 0: it did not, in most parts or in several stairs, or no longer does. Half
 * of the rise must be in each half: what will be released at its next return rises in the second alone. */
static uint64_t rise_of(const uint64_t parts[RULE_SEGMENTS + 1])
{
    const unsigned last = RULE_SEGMENTS, middle = RULE_SEGMENTS / 2;
    const uint64_t first_half = parts[middle] - parts[0], second_half = parts[last] - parts[middle];
    const uint64_t rise = 2 * (first_half < second_half ? first_half : second_half);
    unsigned rises = 0;

    for (unsigned i = 0; i < last; i++)
        rises += parts[i + 1] > parts[i];
    if (rises < RULE_CLOSED_STAIRS)
        return 0;
    return (double)(parts[last] - parts[last - LATE]) >= RULE_PACE * (double)rise * LATE / last ? rise : 0;
}

/* A plateau explains growth that goes on only where its holder declares a bound, and grows until then. */
static bool explains(const struct finding *finding)
{
    return !finding->note && (finding->kind != KIND_plateau || finding->rate.estimate > 0);
}

/* In JavaScript what rises may wait for a collection, unless several came while it rose. */
static bool may_be_garbage(const struct visit *visit)
{
    const struct model *model = visit->model;
    const size_t begin = series_after(&visit->series, visit->series.ticks / 4);
    const uint64_t from = begin < visit->series.count ? visit->series.points[begin].ordinal : UINT64_MAX;
    uint64_t before = 0;

    if (!collected_by_script(model))
        return false;
    for (size_t i = 0; i < model->step_count && model->steps[i].last <= from; i++)
        before = model->steps[i].gauges[GAUGE_collections];
    return model->steps[model->step_count - 1].gauges[GAUGE_collections] < before + RULE_CLOSED_STAIRS;
}

/* Another finding explains it, or the rules along this clock cannot see it. */
static bool is_explained(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (explains(&visit->findings[i]))
            return true;
    return visit->series.ticks < RULE_CLOSED_TICKS || may_be_garbage(visit);
}

static void report(struct visit *visit, const struct quantity *quantity, uint64_t rise)
{
    struct finding *out = visit_add(visit);
    const uint64_t seen = visit->series.ticks - visit->series.ticks / 4;
    const uint32_t site = visit_kept_site(visit);
    char size[TEXT_SIZE_MAX];
    const double rate = (double)rise / (double)seen * clock_scale(&visit->clock);

    if (!out)
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = visit->series.ticks / 4 + 1;
    out->more_steps = visit->series.ticks;
    out->rate = (struct interval){rate, 0, 2 * rate};
    out->remedy = remedy_of(REMEDY_longer);
    if (site != UINT32_MAX)
        culprits_locate(out, visit, site);
    out->summary = arena_print(visit->arena,
                               "%s rose by %s over the last %s, and nothing was found that explains it.",
                               quantity->name, text_size(size, rise), evidence_ticks(visit, seen));
}

void closure_check(struct visit *visit)
{
    const struct model *model = visit->model;

    if (is_explained(visit))
        return;
    for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++) {
        const struct quantity *quantity = &quantities[i];
        uint64_t parts[RULE_SEGMENTS + 1], rise;

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
