/* device_pool.c - see device_pool.h.
 *
 * Free bytes in the pool = bytes taken from the device - bytes in use. At each tick the rule uses
 * the smallest number of free bytes from there to the end of the run. That number never falls, and
 * it ignores bytes that are free only because a step uses and returns them.
 */
#include "doctor/detect/device_pool.h"

#include <math.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/measure/collected.h"

/* The lasting free bytes of the pool over the run. */
struct curve {
    uint64_t *ticks; /* tick of each point; in the arena */
    uint64_t *least; /* smallest number of free bytes from that tick to the end; in the arena */
    size_t count;    /* number of points */
};

static uint64_t free_at(const struct step_record *step)
{
    const uint64_t taken = step->gauges[GAUGE_device_taken], used = step->gauges[GAUGE_device_used];

    return taken > used ? taken - used : 0;
}

/* False: too few steps. */
static bool draw(struct curve *out, const struct visit *visit)
{
    const struct model *model = visit->model;

    *out = (struct curve){.count = 0};
    out->ticks = arena_take(visit->arena, model->step_count, sizeof(*out->ticks));
    out->least = arena_take(visit->arena, model->step_count, sizeof(*out->least));
    if (!out->ticks || !out->least)
        return false;
    for (size_t i = 0; i < model->step_count; i++) {
        const uint64_t tick = series_tick(&visit->series, model->steps[i].last);

        if (tick > visit->series.ticks)
            break;
        out->ticks[out->count] = tick;
        out->least[out->count++] = free_at(&model->steps[i]);
    }
    for (size_t i = out->count; i-- > 1;)
        if (out->least[i - 1] > out->least[i])
            out->least[i - 1] = out->least[i];
    return out->count > RULE_SEGMENTS;
}

static uint64_t value_at(const struct curve *curve, uint64_t tick)
{
    uint64_t value = curve->least[0];

    for (size_t i = 0; i < curve->count && curve->ticks[i] <= tick; i++)
        value = curve->least[i];
    return value;
}

/* Whether the rise slows down: the mean tick at which a byte was added between `from` and `to`,
 * as a share of that window from -0.5 to 0.5. A steady rise gives 0; below 0 it slows down. */
static double trend_of(const struct curve *curve, uint64_t from, uint64_t to)
{
    double sum = 0, bytes = 0;

    for (size_t i = 1; i < curve->count; i++) {
        const double rise = (double)(curve->least[i] - curve->least[i - 1]);

        if (curve->ticks[i] <= from)
            continue;
        sum += rise * (double)(curve->ticks[i] - from);
        bytes += rise;
    }
    return bytes > 0 ? sum / bytes / (double)(to - from) - 0.5 : 0;
}

/* It rises in nearly every eighth of the window and at the same pace to the end. The window
 * begins after the first eighth of the run, which is set-up. */
static bool keeps_rising(const struct curve *curve, uint64_t from, uint64_t to)
{
    const double mean = (double)(value_at(curve, to) - value_at(curve, from)) / RULE_SEGMENTS;
    unsigned rises = 0;
    double last = 0;

    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        const uint64_t begin = from + (to - from) * i / RULE_SEGMENTS;
        const uint64_t end = from + (to - from) * (i + 1) / RULE_SEGMENTS;

        last = (double)(value_at(curve, end) - value_at(curve, begin));
        rises += last > 0;
    }
    return rises >= RULE_RISES_NEEDED + 1 && last >= RULE_PACE * mean &&
           trend_of(curve, from, to) > -RULE_TREND_SHIFT;
}

/* ---- which line uses the buffers ---- */

/* The site with most bytes in buffers; UINT32_MAX: none. */
static uint32_t largest_site(const struct model *model)
{
    uint32_t best = UINT32_MAX;

    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].kind == SITE_BUFFER &&
            (best == UINT32_MAX || model->sites[i].live_weight > model->sites[best].live_weight))
            best = (uint32_t)i;
    return best;
}

/* Counts the buffers of that line: `reused` were used again; `kept` are older than half of the
 * run and were not. */
static void count_reused(struct device_pool *out, const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t middle = visit->series.ticks / 2;

    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].kind == SITE_BUFFER && visit_same_line(visit, (uint32_t)i, out->site))
            out->reused += model->sites[i].births - model->sites[i].live_blocks;
    for (size_t i = 0; i < model->block_count; i++) {
        const uint32_t site = model->blocks[i].site;

        if (site > 0 && model->sites[site - 1].kind == SITE_BUFFER &&
            visit_same_line(visit, site - 1, out->site))
            out->kept += series_tick(&visit->series, model->blocks[i].birth) <= middle;
    }
}

bool device_pool_judge(struct device_pool *out, const struct visit *visit)
{
    const uint64_t to = visit->series.ticks, from = to / RULE_SEGMENTS;
    struct curve curve;

    *out = (struct device_pool){.since = from + 1, .site = largest_site(visit->model)};
    if (!draw(&curve, visit) || out->site == UINT32_MAX || !keeps_rising(&curve, from, to))
        return false;
    out->first = value_at(&curve, from);
    out->last = value_at(&curve, to);
    out->rate = (double)(out->last - out->first) / (double)(to - from);
    out->used = visit->model->steps[visit->model->step_count - 1].gauges[GAUGE_device_used];
    count_reused(out, visit);
    return out->last - out->first >= RULE_PLATEAU_BYTES && out->rate >= visit_floor(visit) &&
           out->kept >= RULE_SURVIVORS &&
           (double)out->reused <= RULE_EVICTED * (double)(out->kept + out->reused);
}

/* ---- the finding ---- */

static void add_facts(struct finding *out, const struct device_pool *pool)
{
    out->headline = (struct fact){.id = FACT_device_pool_grows, .rate = pool->rate};
    fact_add(out, FACT_OF(device_pool_free, pool->first, pool->since, pool->last, pool->used));
    fact_add(out, FACT_OF(device_pool_unused, pool->kept + pool->reused, pool->kept));
}

/* The finding is about the same buffers: a software driver has its buffers in the heap. */
static bool is_same(const struct visit *visit, const struct finding *finding, uint32_t site)
{
    return finding->site > 0 && visit->model->sites[finding->site - 1].kind == SITE_HEAP &&
           visit_same_line(visit, finding->site - 1, site);
}

static void drop_same(struct visit *visit, uint32_t site)
{
    size_t kept = 0;

    for (size_t i = 0; i < visit->finding_count; i++)
        if (!is_same(visit, &visit->findings[i], site))
            visit->findings[kept++] = visit->findings[i];
    visit->finding_count = kept;
}

bool detect_device_pool_applies(const struct visit *visit)
{
    const struct model *model = visit->model;

    return visit->series.ticks >= visit->series.first_look && model->step_count > 0 &&
           model->steps[model->step_count - 1].gauges[GAUGE_device_taken] > 0;
}

/* Its finding replaces the heap findings of the same line. */
void detect_device_pool(struct visit *visit)
{
    struct device_pool pool;
    struct finding *out;
    struct slope rate;

    if (!device_pool_judge(&pool, visit))
        return;
    rate = (struct slope){pool.rate, pool.rate / 2, pool.rate * 2};
    drop_same(visit, pool.site);
    if (!(out = visit_add(visit)))
        return;
    *out = (struct finding){.kind = KIND_unbounded_cache, .confidence = 0.9, .evicted_nothing = true};
    out->rate = visit_rate(visit, rate);
    out->since = pool.since;
    out->live_bytes = pool.last;
    out->live_blocks = pool.kept;
    out->holder = FACT_OF(by_device_pool, 0);
    advise(out, REMEDY_pool_sizes);
    attribute_locate(out, visit, pool.site);
    add_facts(out, &pool);
    visit_grow(visit, out, rate);
}

/* ---- work in flight on a device ---- */

/* The wait for a device that released most memory; NULL: none released any. */
static const struct intervention_record *best_sync(const struct model *model)
{
    const struct intervention_record *best = NULL;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *one = &model->interventions[i];

        if (one->kind == INTERVENTION_SYNC && one->live_before >= one->live_after + RULE_PLATEAU_BYTES &&
            (!best || one->live_before - one->live_after > best->live_before - best->live_after))
            best = one;
    }
    return best;
}

double device_pool_returned(const struct model *model)
{
    const struct intervention_record *sync = best_sync(model);

    return sync ? (double)(sync->live_before - sync->live_after) : 0;
}

bool device_pool_record(const struct visit *visit, uint32_t site)
{
    const struct model *model = visit->model;

    return collected_device(model) && model->sites[site].kind == SITE_HEAP &&
           !collected_counted(model, &model->sites[site]);
}

void device_pool_lag(struct finding *out, const struct visit *visit)
{
    const struct intervention_record *sync = best_sync(visit->model);
    struct collected collected;

    if (!out->site || visit->model->sites[out->site - 1].kind != SITE_HEAP || !collected_device(visit->model))
        return;
    collected_of(&collected, visit->model, out->site - 1);
    if (sync || collected.turnless)
        advise(out, REMEDY_await_device);
    if (sync)
        fact_add(out, FACT_OF(device_in_flight, sync->live_before - sync->live_after,
                              sync->device_steps + 1));
}
