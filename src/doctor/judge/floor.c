/* floor.c - see floor.h. */
#include "doctor/judge/floor.h"

#include <math.h>

#include "doctor/measure/collected.h"

/* The program reaches the limit within a day. A short run forecasts only RULE_FORESEEN times its own
 * length. */
static bool limit_is_near(const struct visit *visit, const struct forecast *forecast)
{
    const double seen = (double)visit->series.ticks * visit->clock.seconds;
    const double left = sqrt(forecast->seconds_low * forecast->seconds_high);

    return forecast->known && left > 0 && left <= RULE_DAY && left <= RULE_FORESEEN * seen;
}

/* The runtime frees garbage later, and this memory may be garbage. The floor applies to it too. */
static bool may_be_freed_later(const struct visit *visit, const struct finding *finding)
{
    return (finding->kind == KIND_undecided || finding->kind == KIND_gc_lag) &&
           visit->runtime->frees_later;
}

/* A larger gc-lag finding has the same line. Work in flight on the device uses blocks of several sizes,
 * and this finding is one of these sizes. */
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

/* The finding is small and in the heap, and the program uses a device. The library and the driver of a
 * device keep a record in the heap for each piece of device memory, allocated at its first use. */
static bool is_record(const struct visit *visit, const struct finding *finding, double most)
{
    return collected_device(visit->model) && finding->site > 0 &&
           visit->model->sites[finding->site - 1].kind == SITE_HEAP &&
           (finding->rate.estimate < RULE_RECORD_SHARE * most || is_in_flight(visit, finding));
}

/* What the rate of a finding is compared with; rates are bytes per unit of the clock. */
struct floor {
    double total;  /* rate of all growth together */
    double least;  /* if `total` is below this rate, every finding becomes a note */
    double single; /* a small finding below this rate becomes a note */
    double most;   /* rate of the largest finding */
    bool soon;     /* a limit is near */
    bool little;   /* all growth together is negligible for a process of this size */
};

static struct floor measure(const struct visit *visit, const struct forecast *forecast)
{
    const double scale = clock_scale(&visit->clock), least = visit_floor(visit);
    struct floor floor = {.total = visit_all_growth(visit) * scale,
                          .least = least,
                          .single = least * fmax(1, scale),
                          .soon = limit_is_near(visit, forecast),
                          .little = visit_is_little(visit, visit_all_growth(visit))};

    for (size_t i = 0; i < visit->finding_count; i++)
        floor.most = fmax(floor.most, visit->findings[i].rate.estimate);
    return floor;
}

/* The floor applies to leaks, and to what a runtime may free later. Other gc-lag findings are not part of
 * the summed growth, so demotion_of() compares their own rate. */
static bool has_floor(const struct visit *visit, const struct finding *finding)
{
    return kind_status(finding->kind) == 1 || may_be_freed_later(visit, finding);
}

/* The finding is negligible beside the largest one. */
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
