/* undecided.c - classes that may grow, where the run was too short to decide. */
#include <math.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/device_pool.h"
#include "doctor/detect/power.h"
#include "doctor/held/reach.h"
#include "doctor/measure/collected.h"
#include "doctor/measure/imports.h"
#include "doctor/runtime/js_collected.h"
#include "doctor/runtime/script.h"


static void set_rate(struct finding *out, const struct visit *visit, double per_tick)
{
    out->rate = visit_rate(visit, (struct slope){per_tick, 0, 2 * per_tick});
}

/* Adds the holder, which helps the user to decide. */
static void name_holder(struct finding *out, const struct visit *visit)
{
    if (out->site)
        (void)reach_of(out, visit->model, out->site - 1, visit->series.ticks, visit->places,
                       visit->arena);
}

/* By how much an exactly counted column rose since `from`; 0 if it also fell by at least half as
 * much, because what a collector frees is soon allocated again. */
static double gained(const struct series *series, unsigned column, uint64_t from)
{
    const size_t begin = series_after(series, from);
    double rise;

    if (begin >= series->count)
        return 0;
    rise = (double)series_value(&series->points[series->count - 1], column) -
           (double)series_value(&series->points[begin], column);
    return series_fall(series, column, begin) * 2 > rise ? 0 : rise;
}

/* The growth is not worth a finding. It is negligible beside the size of the process, because
 * large frameworks always gain a little. Or work in flight on a device was a good part of it. Or
 * no sampled block survived, and the exact count did not rise so much or a collection freed a
 * good part of it. */
static bool is_nothing(const struct visit *visit, const struct outcome *largest, double per_tick)
{
    const uint64_t from = largest->suspect->from, ticks = visit->series.ticks;
    const unsigned column = largest->suspect->column;
    const double claimed = per_tick * (double)(ticks - from);
    const double rate = column == SERIES_OBJECTS ? largest->suspect->growth : per_tick;

    if (device_pool_returned(visit->model) > 0 &&
        device_pool_returned(visit->model) >= RULE_COLLECTED_SHARE * claimed)
        return true; /* a good part of it was in flight on the device */
    if (column == SERIES_MAPS)
        return false;
    if (column == SERIES_TENSORS)
        return largest->best.alive == 0 && script_tensors_go(visit);
    if (per_tick * (double)ticks < RULE_PLATEAU_SHARE * visit_resident(visit))
        return true;
    if (largest->best.alive > 0)
        return false;
    return gained(&visit->series, column, from) <
               RULE_COLLECTED_SHARE * rate * (double)(ticks - from) ||
           collected_bytes(visit->model) >= RULE_COLLECTED_SHARE * claimed;
}

/* Reports all columns in this state as one finding, at the best site of the column that grows
 * fastest. */
static void report_open(struct visit *visit, enum cohort_state state)
{
    const struct outcome *largest = NULL;
    double total = 0, most = 0;
    struct finding *out;

    if (js_waited(visit->model))
        return;
    for (unsigned c = 0; c < SERIES_COLUMNS; c++) {
        const struct outcome *one = &visit->outcomes[c];
        double rate;

        if (!one->suspected || one->best.state != state ||
            attribute_loading(visit, one->best.site) || script_cleared(visit, one->best.site) ||
            visit->runtime->pages(visit, one->best.site))
            continue;
        rate = one->suspect->growth * visit_size(visit, c);
        if (c == SERIES_TOTAL && largest) /* its parts are counted already */
            continue;
        total += rate;
        largest = rate > most ? one : largest;
        most = rate > most ? rate : most;
    }
    if (!largest || total * clock_scale(&visit->clock) < visit_floor(visit) ||
        visit_is_little(visit, total) || is_nothing(visit, largest, total) || !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = largest->suspect->from + 1;
    advise(out, REMEDY_longer);
    set_rate(out, visit, total);
    if (largest->best.alive > 0)
        attribute_locate(out, visit, largest->best.site);
    name_holder(out, visit);
    if (state == COHORT_SLOWING) {
        out->more_steps = visit->series.ticks;
        out->headline = FACT_OF(slows, 0);
        fact_add(out, FACT_OF(fewer_added, largest->best.alive, largest->best.released));
        fact_add(out, FACT_OF(more_needed, 0));
        return;
    }
    out->more_steps =
        power_more(largest->suspect->growth, fmin(1, largest->suspect->growth), largest->best.sites,
                   visit->series.ticks + 1 - largest->best.first);
    out->headline = FACT_OF(may_grow, 0);
    fact_add(out, FACT_OF(old_blocks, largest->best.alive, largest->best.events));
    fact_add(out, FACT_OF(more_needed, 0));
}

/* For runs with too few ticks to be judged: reports the live bytes gained so far, if they rose
 * in three of four ticks. */
static void report_early(struct visit *visit)
{
    const struct series *series = &visit->series;
    const size_t begin = series_after(series, 1);
    const struct point *first, *last;
    struct finding *out;
    double rate, blocks;
    size_t rises = 0;
    uint32_t site;

    if (series->ticks >= series->first_look || begin + 2 > series->count)
        return;
    first = &series->points[begin];
    last = &series->points[series->count - 1];
    for (size_t i = begin + 1; i < series->count; i++)
        rises += series->points[i].live_min > series->points[i - 1].live_min;
    if (last->tick == first->tick || last->live_min <= first->live_min ||
        rises * 4 < (series->count - begin - 1) * 3)
        return;
    rate = (double)(last->live_min - first->live_min) / (double)(last->tick - first->tick);
    blocks = ((double)last->least[SERIES_TOTAL] - (double)first->least[SERIES_TOTAL]) /
             (double)(last->tick - first->tick);
    site = visit_kept_site(visit);
    if (rate * clock_scale(&visit->clock) < visit_floor(visit) ||
        (site < visit->model->site_count && imports_made(visit->model, site)) || /* set-up */
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_undecided;
    out->confidence = 0.5;
    out->since = first->tick;
    out->more_steps = power_first(series, blocks);
    advise(out, REMEDY_longer);
    set_rate(out, visit, rate);
    attribute_locate(out, visit, site);
    name_holder(out, visit);
    out->headline = FACT_OF(kept_so_far, last->live_min - first->live_min);
    fact_add(out, FACT_OF(more_needed, 0));
}

/* Runs only if nothing else was found. */
bool detect_undecided_applies(const struct visit *visit)
{
    return visit->series.count > 0 && visit->finding_count == 0;
}

void detect_undecided(struct visit *visit)
{
    report_open(visit, COHORT_SHORT);
    report_open(visit, COHORT_SLOWING);
    report_early(visit);
}
