/* floor.c - see floor.h. */
#include "doctor/judge/floor.h"

#include <math.h>

#include "doctor/measure/collected.h"

/* Is the limit reached within a day, and within what so short a run can foresee? */
static bool limit_is_near(const struct visit *visit, const struct forecast *forecast)
{
    const double seen = (double)visit->series.ticks * visit->clock.seconds;
    const double left = sqrt(forecast->seconds_low * forecast->seconds_high);

    return forecast->known && left > 0 && left <= RULE_DAY && left <= RULE_FORESEEN * seen;
}

/* The floor applies to what waits for JavaScript's collector, or may have waited, too. */
static bool is_script_doubt(const struct visit *visit, const struct finding *finding)
{
    return (finding->kind == KIND_undecided || finding->kind == KIND_gc_lag) &&
           visit->runtime->frees_later;
}

/* Of the same line more waits for the device: what is in flight there lies in blocks of several sizes. */
static bool is_in_flight(const struct visit *visit, const struct finding *finding)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *other = &visit->findings[i];

        if (other->kind == KIND_gc_lag && other->site > 0 && other->rate.estimate > finding->rate.estimate &&
            visit_same_line(visit, other->site - 1, finding->site - 1))
            return true;
    }
    return false;
}

/* The library and the driver of a device have records in the heap of all that is on it, made where that was
 * first used. */
static bool is_record(const struct visit *visit, const struct finding *finding, double most)
{
    return collected_device(visit->model) && finding->site > 0 &&
           visit->model->sites[finding->site - 1].kind == SITE_HEAP &&
           (finding->rate.estimate < RULE_RECORD_SHARE * most || is_in_flight(visit, finding));
}

/* What the rates of single findings are compared with. */
struct floor {
    double total;  /* of all that grows together, per unit of the clock */
    double least;  /* of that, for anything to be a finding */
    double single; /* the same of one finding */
    double most;   /* of the largest finding */
    bool soon;     /* a limit is near */
    bool little;   /* all of it is next to nothing beside the process */
};

static struct floor measure(const struct visit *visit, const struct forecast *forecast)
{
    const double scale = clock_scale(&visit->clock), least = visit_floor(visit);
    struct floor floor = {.total = visit->growth.estimate * scale,
                          .least = least,
                          .single = least * fmax(1, scale),
                          .soon = limit_is_near(visit, forecast),
                          .little = visit_is_little(visit, visit->growth.estimate)};

    for (size_t i = 0; i < visit->finding_count; i++)
        floor.most = fmax(floor.most, visit->findings[i].rate.estimate);
    return floor;
}

/* The floor is for what grows without end, and for what may. What a collection releases is not part of the
 * growth that is summed up: it has its own. */
static bool has_floor(const struct visit *visit, const struct finding *finding)
{
    return kind_status(finding->kind) == 1 || is_script_doubt(visit, finding);
}

/* Its blocks were made at one line and used at another: next to nothing beside a larger finding. */
static bool is_small(const struct finding *finding, const struct floor *floor)
{
    return finding->rate.estimate < RULE_SMALL_SHARE * floor->most;
}

static enum demotion demotion_of(const struct visit *visit, const struct finding *finding,
                                 const struct floor *floor)
{
    const double rate = finding->rate.estimate;

    if (finding->site > 0 && is_small(finding, floor) &&
        visit->runtime->bookkeeping(visit, finding->site - 1))
        return DEMOTED_bookkeeping;
    if (finding->site > 0 && visit->runtime->pages(visit, finding->site - 1))
        return DEMOTED_engine_pages;
    if (has_floor(visit, finding)) {
        if (floor->little)
            return DEMOTED_negligible;
        if (floor->total < floor->least && !floor->soon)
            return DEMOTED_floor;
        if (is_record(visit, finding, floor->most))
            return DEMOTED_device_record;
        if (rate < floor->single && is_small(finding, floor))
            return DEMOTED_small;
    }
    return finding->kind == KIND_gc_lag && rate < floor->least ? DEMOTED_waits_little : DEMOTED_none;
}

void floor_apply(struct visit *visit, const struct forecast *forecast)
{
    const struct floor floor = measure(visit, forecast);
    const bool nothing = floor.total < RULE_NOTE_RATE && !floor.soon;
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (nothing && has_floor(visit, finding)) {
            visit_trail(visit, finding->site, (struct fact){.id = FACT_why_dropped, .rate = floor.total,
                                                            .least = RULE_NOTE_RATE});
            continue;
        }
        if (!finding->note)
            demote(finding, demotion_of(visit, finding, &floor));
        if (finding->note)
            visit_trail(visit, finding->site, (struct fact){.id = FACT_why_note, .n = {finding->demoted},
                                                            .rate = finding->rate.estimate,
                                                            .least = floor.single});
        visit->findings[kept++] = *finding;
    }
    visit->finding_count = kept;
}
