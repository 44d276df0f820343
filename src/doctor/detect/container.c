/* container.c - see container.h. */
#include "doctor/detect/container.h"

#include <math.h>

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/resident.h"
#include "ledger/writer.h"

/* Live bytes rise as a growing container makes them rise: no part falls; at least
 * RULE_GROWN_RISES parts rise, because a buffer that gets an eighth more room each time is
 * resized in most of them; no single part has more than half of the rise; and the newer half
 * rises about as much as the older (a store that fills up does not). */
static bool bytes_rise(const struct segments *segments)
{
    const uint64_t *live = segments->live;
    const unsigned half = RULE_SEGMENTS / 2;
    uint64_t most = 0;
    unsigned rises = 0;

    for (unsigned i = 0; i + 1 < RULE_SEGMENTS; i++) {
        if (live[i + 1] < live[i])
            return false;
        rises += live[i + 1] > live[i];
        most = live[i + 1] - live[i] > most ? live[i + 1] - live[i] : most;
    }
    return rises >= RULE_GROWN_RISES && live[RULE_SEGMENTS - 1] - live[0] >= RULE_GROWN_SIZE &&
           most <= (live[RULE_SEGMENTS - 1] - live[0]) / 2 &&
           (double)(live[RULE_SEGMENTS - 1] - live[half]) >=
               RULE_GROWN_STEADY * (double)(live[half - 1] - live[0]);
}

static struct slope slope_of(const struct segments *segments)
{
    double x[RULE_SEGMENTS], y[RULE_SEGMENTS];

    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        x[i] = (double)(segments->width * i);
        y[i] = (double)segments->live[i];
    }
    return stats_theil_sen(x, y, RULE_SEGMENTS);
}

static bool is_at(const struct model *model, uint32_t site, uint32_t stack)
{
    return site > 0 && model->sites[site - 1].kind == SITE_HEAP &&
           model->sites[site - 1].stack == stack;
}

static void add_block(struct grown *out, uint32_t site, uint64_t size, uint64_t times)
{
    out->blocks++;
    out->bytes += size;
    out->times += times;
    out->site = site - 1;
}

/* The block is new, and its site has released as many blocks as a growing container does: it
 * probably replaced the block before it. */
static bool is_newest(const struct model *model, const struct series *series, uint32_t site,
                      uint64_t birth)
{
    const uint64_t recent = series->ticks / RULE_SEGMENTS;

    return series_tick(series, birth) + recent > series->ticks &&
           model->sites[site - 1].deaths >= RULE_GROWN_TIMES;
}

static bool is_resized(const struct model *model, const struct series *series,
                       const struct model_block *block)
{
    return block->grown >= RULE_GROWN_TIMES || is_newest(model, series, block->site, block->birth);
}

/* The block was released at the end of the program, after the last tick, so the ledger does not
 * have how often it was resized. If it was allocated before the window, it grew in the window. */
static bool is_last(const struct model *model, const struct series *series,
                    const struct death_record *death, uint64_t first)
{
    return death->death > series->ordinals && (series_tick(series, death->birth) < first ||
                                               is_newest(model, series, death->site, death->birth));
}

/* Adds up the large blocks of one stack in all size classes: a growing container moves through them. */
static void add_up(struct grown *out, const struct model *model, const struct series *series,
                   uint32_t stack)
{
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (is_at(model, block->site, stack) && block->size >= RULE_GROWN_SIZE &&
            block->birth <= series->ordinals && is_resized(model, series, block))
            add_block(out, block->site, block->size,
                      block->grown ? block->grown : model->sites[block->site - 1].deaths);
    }
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (is_at(model, death->site, stack) && death->size >= RULE_GROWN_SIZE &&
            is_last(model, series, death, out->first))
            add_block(out, death->site, death->size, RULE_GROWN_TIMES);
    }
}

static bool fits(const struct grown *out)
{
    return out->blocks > 0 && out->blocks <= RULE_GROWN_BLOCKS && out->times >= RULE_GROWN_TIMES &&
           (double)out->bytes >= RULE_GROWN_SHARE * (double)out->rose;
}

#define TRIES_MAX 256 /* stacks that are examined: each costs a pass over all blocks */

/* The search for the largest growing container. */
struct search {
    const struct model *model;   /* the ledger's contents */
    const struct series *series; /* its counters at ticks */
    struct grown common;         /* window, rise and rate, the same for all containers */
    struct grown best;           /* the largest container so far; bytes 0: none */
    unsigned tries;              /* stacks examined so far */
};

static void consider(struct search *search, uint32_t site, uint64_t size)
{
    const double least =
        fmax(RULE_GROWN_SIZE, RULE_GROWN_SHARE * (double)search->common.rose / RULE_GROWN_BLOCKS);
    struct grown one = search->common;

    if (site == 0 || (double)size < least || size <= search->best.bytes ||
        search->tries >= TRIES_MAX)
        return;
    search->tries++;
    add_up(&one, search->model, search->series, search->model->sites[site - 1].stack);
    if (fits(&one) && one.bytes > search->best.bytes)
        search->best = one;
}

/* ---- an array that is rebuilt at every step and released at the end ---- */

/* Such an array is a little longer each time. Its function releases it when it returns, so no
 * block is left. But the stack's size classes got their first blocks one after the other, up to
 * the end of the run. */
struct wander {
    uint64_t first[LEDGER_CLASSES]; /* ordinal of the first birth in each size class; 0: none */
    uint64_t last;                  /* ordinal of the last birth in the largest class */
    uint64_t births;                /* blocks allocated, all classes */
    uint64_t deaths;                /* blocks released, all classes */
    uint64_t peak;                  /* sum of the peak bytes of all classes */
    uint32_t site;                  /* site of the largest class, index into model->sites */
};

static void follow(struct wander *out, const struct model *model, uint32_t stack)
{
    unsigned largest = 0;

    for (uint32_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];

        if (!is_at(model, i + 1, stack) || ledger_class_floor(site->class_index) < RULE_GROWN_SIZE)
            continue;
        out->first[site->class_index] = site->first;
        out->births += site->births;
        out->deaths += site->deaths;
        out->peak += site->peak_weight;
        if (site->class_index >= largest) {
            largest = site->class_index;
            out->last = site->last;
            out->site = i;
        }
    }
}

/* How many classes, from the largest down, got their first block later than the next smaller one
 * did. */
static unsigned classes_in_turn(const struct wander *wander)
{
    uint64_t after = UINT64_MAX;
    unsigned count = 0;

    for (unsigned c = LEDGER_CLASSES; c-- > 0;) {
        if (wander->first[c] == 0)
            continue;
        if (wander->first[c] >= after)
            break;
        after = wander->first[c];
        count++;
    }
    return count;
}

static void consider_gone(struct search *search, uint32_t stack)
{
    struct grown one = search->common;
    struct wander wander = {.last = 0};

    follow(&wander, search->model, stack);
    one.blocks = 1;
    one.bytes = wander.peak;
    one.times = wander.deaths;
    one.site = wander.site;
    if (wander.births <= wander.deaths + 1 && classes_in_turn(&wander) >= RULE_GROWN_CLASSES &&
        series_tick(search->series, wander.last) + search->series->ticks / RULE_SEGMENTS >
            search->series->ticks &&
        fits(&one) && one.bytes > search->best.bytes)
        search->best = one;
}

static void search_gone(struct search *search)
{
    const struct model *model = search->model;

    for (uint32_t i = 0; i < model->site_count && search->tries < TRIES_MAX; i++) {
        const struct model_site *site = &model->sites[i];

        if (site->kind != SITE_HEAP || site->stack == 0 || site->births > site->deaths + 1 ||
            (double)site->peak_weight < RULE_GROWN_SHARE / 2 * (double)search->common.rose)
            continue;
        search->tries++;
        consider_gone(search, site->stack);
    }
}

/* Growth over the window by more blocks, in bytes: other rules judge that. */
static double by_blocks(const struct model *model, const struct segments *segments)
{
    double bytes = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const uint64_t blocks = model_class_blocks(model, c);
        const double gained =
            (double)segments->least[RULE_SEGMENTS - 1][c] - (double)segments->least[0][c];

        if (gained > 1 && blocks > 0) /* the container's own block may have moved into this class */
            bytes += gained * (double)model_class_bytes(model, c) / (double)blocks;
    }
    return bytes;
}

bool grown_find(struct grown *out, const struct model *model, const struct series *series)
{
    const uint64_t n = series->ticks;
    struct search search = {.model = model, .series = series};
    struct segments segments;
    struct slope rate;

    if (n < series->first_look || !series_segments(series, n / 2, n, &segments) ||
        !bytes_rise(&segments))
        return false;
    rate = slope_of(&segments);
    if (by_blocks(model, &segments) >=
        RULE_GROWN_SHARE * (double)(segments.live[RULE_SEGMENTS - 1] - segments.live[0]))
        return false;
    search.common = (struct grown){.rose = segments.live[RULE_SEGMENTS - 1] - segments.live[0],
                                   .first = segments.from + 1,
                                   .last = n,
                                   .rate = rate};
    for (size_t i = 0; i < model->block_count; i++)
        consider(&search, model->blocks[i].site, model->blocks[i].size);
    for (size_t i = 0; i < model->death_count; i++)
        if (model->deaths[i].death > series->ordinals)
            consider(&search, model->deaths[i].site, model->deaths[i].size);
    if (search.best.bytes == 0)
        search_gone(&search);
    *out = search.best;
    return search.best.bytes > 0;
}

/* ---- the finding ---- */

#define BYTES_PER_ELEMENT 16 /* storage that a container has per element: a pointer, and room to grow */

bool detect_container_applies(const struct visit *visit)
{
    return visit->series.count > 0;
}

void detect_container(struct visit *visit)
{
    struct finding *out;
    struct grown grown;

    if (!grown_find(&grown, visit->model, &visit->series) ||
        attribute_loading(visit, grown.site) || !(out = visit_add(visit)))
        return;
    out->kind = KIND_retained;
    out->confidence = 0.9;
    out->rate = visit_rate(visit, grown.rate);
    out->site = grown.site + 1;
    out->evicted_nothing = true;
    out->since = grown.first;
    out->live_bytes = grown.bytes;
    out->live_blocks = grown.blocks;
    advise(out, REMEDY_bound_container);
    attribute_locate(out, visit, grown.site);
    out->headline = FACT_OF(container_grows, grown.bytes);
    fact_add(out, FACT_OF(container_rose, grown.first, grown.last, grown.rose));
    fact_add(out, FACT_OF(container_blocks, grown.blocks, grown.bytes, grown.times));
    fact_add(out, resident_fact(visit));
    attribute_hold(out, visit, grown.site, grown.bytes / BYTES_PER_ELEMENT);
    visit_grow(visit, out, grown.rate);
}
