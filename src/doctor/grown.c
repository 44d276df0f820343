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

/* Adds up the large blocks of one stack, whatever their size classes: a container that grows
 * wanders through them. */
static void add_up(struct grown *out, const struct model *model, const struct series *series,
                   uint32_t stack)
{
    for (size_t i = 0; i < model->site_count; i++)
        if (model->sites[i].kind == SITE_HEAP && model->sites[i].stack == stack)
            out->times += model->sites[i].deaths;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (block->site == 0 || model->sites[block->site - 1].stack != stack ||
            block->size < RULE_GROWN_SIZE || series_tick(series, block->birth) > series->ticks)
            continue;
        out->blocks++;
        out->bytes += block->size;
        out->times += block->grown;
        out->site = block->site - 1;
    }
}

static bool fits(const struct grown *out)
{
    return out->blocks > 0 && out->blocks <= RULE_GROWN_BLOCKS && out->times >= RULE_GROWN_TIMES &&
           (double)out->bytes >= RULE_GROWN_SHARE * (double)out->rose;
}

bool grown_find(struct grown *out, const struct model *model, const struct series *series,
                double by_blocks)
{
    const uint64_t n = series->ticks;
    struct grown best = {.bytes = 0};
    struct segments segments;
    struct slope rate;

    if (n < RULE_FIRST_LOOK || !series_segments(series, n / 2, n, &segments) ||
        !bytes_rise(&segments))
        return false;
    rate = slope_of(&segments);
    if (by_blocks >= RULE_GROWN_SHARE * rate.estimate)
        return false;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];
        struct grown one = {.rose = segments.live[RULE_SEGMENTS - 1] - segments.live[0],
                            .first = segments.from + 1,
                            .last = n,
                            .rate = rate};

        if (block->site == 0 || block->size < RULE_GROWN_SIZE || block->size <= best.bytes)
            continue;
        add_up(&one, model, series, model->sites[block->site - 1].stack);
        if (fits(&one) && one.bytes > best.bytes)
            best = one;
    }
    *out = best;
    return best.bytes > 0;
}
