/* grown.c - see grown.h. */
#include "doctor/grown.h"

#include <math.h>

/* Every part of the last half must rise, with no miss (a table that doubles rises in one of them),
 * and its newer half as much as its older (a store that fills up does not). */
static bool bytes_rise(const struct segments *segments)
{
    const uint64_t *live = segments->live;
    const unsigned half = RULE_SEGMENTS / 2;

    for (unsigned i = 0; i + 1 < RULE_SEGMENTS; i++)
        if (live[i + 1] <= live[i])
            return false;
    return live[RULE_SEGMENTS - 1] - live[0] >= RULE_GROWN_SIZE &&
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

/* Resized again and again, or the newest of blocks that each replaced the one before: made lately,
 * while the site has seen as many die as a container that grows leaves behind. */
static bool is_resized(const struct model *model, const struct series *series,
                       const struct model_block *block)
{
    const uint64_t lately = series->ticks / RULE_SEGMENTS;

    return block->grown >= RULE_GROWN_TIMES ||
           (series_tick(series, block->birth) + lately > series->ticks &&
            model->sites[block->site - 1].deaths >= RULE_GROWN_TIMES);
}

/* A block released after the last tick, at the end of the program, does not tell how often it had
 * been resized; that it was made before the window tells that it grew there. */
static bool is_last_of_old(const struct series *series, const struct death_record *death,
                           uint64_t first)
{
    return death->death > series->ordinals && series_tick(series, death->birth) < first;
}

/* Adds up the large blocks of one stack, whatever their size classes: a container that grows
 * wanders through them. */
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
            is_last_of_old(series, death, out->first))
            add_block(out, death->site, death->size, RULE_GROWN_TIMES);
    }
}

static bool fits(const struct grown *out)
{
    return out->blocks > 0 && out->blocks <= RULE_GROWN_BLOCKS && out->times >= RULE_GROWN_TIMES &&
           (double)out->bytes >= RULE_GROWN_SHARE * (double)out->rose;
}

#define TRIES_MAX 256 /* stacks looked at: each costs a pass over all blocks */

/* The largest container among the blocks that could be one; `one` holds what is common to all. */
struct search {
    const struct model *model;
    const struct series *series;
    struct grown common, best;
    unsigned tries;
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

/* Bytes by which classes gained blocks over the window: growth that other rules judge. */
static double by_blocks(const struct model *model, const struct segments *segments)
{
    double bytes = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        const uint64_t blocks = model_class_blocks(model, c);
        const double gained =
            (double)segments->least[RULE_SEGMENTS - 1][c] - (double)segments->least[0][c];

        if (gained > 1 && blocks > 0) /* one may have wandered in */
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
    *out = search.best;
    return search.best.bytes > 0;
}
