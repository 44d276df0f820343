/* grown.c - see grown.h. */
#include "doctor/grown.h"

#include <math.h>

/* Every part of the last half must rise, with no miss: a table that doubles rises in one of them. */
static bool bytes_rise(const struct segments *segments)
{
    for (unsigned i = 0; i + 1 < RULE_SEGMENTS; i++)
        if (segments->live[i + 1] <= segments->live[i])
            return false;
    return segments->live[RULE_SEGMENTS - 1] - segments->live[0] >= RULE_GROWN_SIZE;
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

/* Adds up the large blocks of one stack, whatever their size classes: a container that grows
 * wanders through them. One that was released after the last tick, at the end of the program, does
 * not tell how often it had been resized; that it is older than the window and yet large does. */
static void add_up(struct grown *out, const struct model *model, const struct series *series,
                   uint32_t stack)
{
    for (size_t i = 0; i < model->site_count; i++)
        if (is_at(model, (uint32_t)i + 1, stack))
            out->times += model->sites[i].deaths;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (is_at(model, block->site, stack) && block->size >= RULE_GROWN_SIZE &&
            block->birth <= series->ordinals)
            add_block(out, block->site, block->size, block->grown);
    }
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];

        if (is_at(model, death->site, stack) && death->size >= RULE_GROWN_SIZE &&
            death->death > series->ordinals && death->birth <= series->ordinals)
            add_block(out, death->site, death->size,
                      series_tick(series, death->birth) < out->first ? RULE_GROWN_TIMES : 0);
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

bool grown_find(struct grown *out, const struct model *model, const struct series *series,
                double by_blocks)
{
    const uint64_t n = series->ticks;
    struct search search = {.model = model, .series = series};
    struct segments segments;
    struct slope rate;

    if (n < RULE_FIRST_LOOK || !series_segments(series, n / 2, n, &segments) ||
        !bytes_rise(&segments))
        return false;
    rate = slope_of(&segments);
    if (by_blocks >= RULE_GROWN_SHARE * rate.estimate)
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
