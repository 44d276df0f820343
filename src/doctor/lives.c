/* lives.c - see lives.h. */
#include "doctor/lives.h"

#include <stdlib.h>

#include "base/arena.h"
#include "ledger/writer.h"

static bool belongs(const struct model *model, uint32_t site, unsigned column)
{
    const struct model_site *record;

    if (site == 0 || site > model->site_count)
        return false;
    record = &model->sites[site - 1];
    if (column == SERIES_MAPS)
        return record->kind == SITE_MAP || record->kind == SITE_SHARED;
    return record->kind == SITE_HEAP && record->class_index == column;
}

static int by_site_and_birth(const void *left, const void *right)
{
    const struct life *a = left, *b = right;

    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->birth > b->birth) - (a->birth < b->birth);
}

static size_t how_many(const struct model *model, unsigned column)
{
    size_t count = 0;

    for (size_t i = 0; i < model->block_count && column != SERIES_MAPS; i++)
        count += belongs(model, model->blocks[i].site, column);
    for (size_t i = 0; i < model->death_count; i++)
        count += belongs(model, model->deaths[i].site, column);
    for (size_t i = 0; i < model->map_count && column == SERIES_MAPS; i++)
        count += belongs(model, model->maps[i].site, column);
    return count;
}

static void add_blocks(struct lives *out, const struct model *model, const struct series *series,
                       unsigned column)
{
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (!belongs(model, block->site, column))
            continue;
        out->items[out->count++] = (struct life){
            .site = block->site - 1,
            .birth = series_tick(series, block->birth),
            .size = block->size,
            .units = block->size ? (double)block->weight / (double)block->size : 1};
    }
}

static void add_maps(struct lives *out, const struct model *model, const struct series *series)
{
    for (size_t i = 0; i < model->map_count; i++) {
        const struct map_record *map = &model->maps[i];

        if (!belongs(model, map->site, SERIES_MAPS))
            continue;
        out->items[out->count++] =
            (struct life){.site = map->site - 1,
                          .birth = series_tick(series, map->birth),
                          .size = map->length,
                          .units = (double)map->length / (double)series->page};
    }
}

/* What a dead block stood for is not recorded: a mean block of its site does. */
static double mean_units(const struct model_site *site, uint64_t size)
{
    if (site->births == 0 || size == 0)
        return 1;
    return (double)site->born_weight / (double)site->births / (double)size;
}

static void add_deaths(struct lives *out, const struct model *model, const struct series *series,
                       unsigned column)
{
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        const uint64_t tick = series_tick(series, death->death);
        struct life *life = &out->items[out->count];

        if (!belongs(model, death->site, column))
            continue;
        *life = (struct life){.site = death->site - 1,
                              .birth = series_tick(series, death->birth),
                              .death = tick > series->ticks ? 0 : tick,
                              .later = tick > series->ticks,
                              .size = death->size};
        if (life->size == 0 && column != SERIES_MAPS)
            life->size = ledger_class_floor(column);
        life->units = column == SERIES_MAPS ? (double)life->size / (double)series->page
                                            : mean_units(&model->sites[life->site], life->size);
        out->count++;
    }
}

/* Without a word from the probe, watching began no later than the oldest block seen for sure. */
static uint64_t watched_from(const struct model *model, const struct series *series,
                             unsigned column)
{
    uint64_t oldest = UINT64_MAX;

    if (column == SERIES_MAPS)
        return 0;
    if (!(model->head.watched >> column & 1))
        return UINT64_MAX;
    if (model->totals.watched_since[column])
        return series_tick(series, model->totals.watched_since[column]) - 1;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (belongs(model, block->site, column) && block->weight == block->size &&
            block->birth < oldest)
            oldest = block->birth;
    }
    return oldest == UINT64_MAX ? series->ticks : series_tick(series, oldest);
}

void lives_collect(struct lives *out, const struct model *model, const struct series *series,
                   unsigned column, struct arena *arena)
{
    *out = (struct lives){.certain = watched_from(model, series, column)};
    out->items = arena_take(arena, how_many(model, column) + 1, sizeof(*out->items));
    if (!out->items)
        return;
    if (column == SERIES_MAPS)
        add_maps(out, model, series);
    else
        add_blocks(out, model, series, column);
    add_deaths(out, model, series, column);
    if (model->death_count > 0 && model->deaths_seen > model->death_count)
        out->complete = series_tick(series, model->deaths[0].death);
    qsort(out->items, out->count, sizeof(*out->items), by_site_and_birth);
}

/* The histogram of a site forgets nothing, but it is coarse and counts what died after the end. */
static uint64_t by_histogram(const struct model_site *site, double ordinals)
{
    uint64_t died = 0;

    for (unsigned k = 1; k < LEDGER_AGES; k++)
        if ((double)(1u << (k - 1)) >= ordinals)
            died += site->ages[k];
    return died;
}

uint64_t lives_died_old(const struct model *model, const struct series *series,
                        const struct life *lives, size_t count, uint64_t age)
{
    const double ordinals = (double)age * (double)series->ordinals / (double)series->ticks;
    const bool turned = model->deaths_seen > model->death_count;
    uint64_t died = 0, later = 0, counted = 0;

    for (size_t i = 0; i < count; i++) {
        died += lives[i].death && lives[i].death - lives[i].birth >= age;
        later += lives[i].later;
        if (turned && (i == 0 || lives[i].site != lives[i - 1].site))
            counted += by_histogram(&model->sites[lives[i].site], ordinals);
    }
    counted = counted > later ? counted - later : 0;
    return counted > died ? counted : died;
}
