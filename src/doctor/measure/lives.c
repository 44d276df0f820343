/* lives.c - see lives.h. */
#include "doctor/measure/lives.h"

#include <stdlib.h>

#include "base/arena.h"
#include "ledger/site_kind.h"
#include "ledger/writer.h"

/* The block belongs to this column. If its size is known, that decides the class, because
 * realloc() may have moved the block out of its site's class. */
static bool belongs(const struct model *model, uint32_t site, uint64_t size, unsigned column)
{
    const struct model_site *record;

    if (site == 0 || site > model->site_count)
        return false;
    record = &model->sites[site - 1];
    if (column == SERIES_MAPS)
        return record->kind == SITE_MAP || record->kind == SITE_SHARED;
    if (column == SERIES_TENSORS)
        return site_is_tensor(record->kind);
    if (column == SERIES_OBJECTS)
        return record->kind == SITE_OBJECT;
    if (column == SERIES_DEVICE)
        return site_is_device(record->kind);
    if (record->kind != SITE_HEAP || column == SERIES_TOTAL)
        return record->kind == SITE_HEAP;
    return (size ? ledger_class(size) : record->class_index) == column;
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
        count += belongs(model, model->blocks[i].site, model->blocks[i].size, column);
    for (size_t i = 0; i < model->death_count; i++)
        count += belongs(model, model->deaths[i].site, model->deaths[i].size, column);
    for (size_t i = 0; i < model->map_count && column == SERIES_MAPS; i++)
        count += belongs(model, model->maps[i].site, 0, column);
    return count;
}

static void add_blocks(struct lives *out, const struct model *model, const struct series *series,
                       unsigned column)
{
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (!belongs(model, block->site, block->size, column))
            continue;
        out->items[out->count++] =
            (struct life){.site = block->site - 1,
                          .birth = series_tick(series, block->birth),
                          .size = block->size,
                          .units = block->size ? (double)block->weight / (double)block->size : 1};
    }
}

static void add_maps(struct lives *out, const struct model *model, const struct series *series)
{
    for (size_t i = 0; i < model->map_count; i++) {
        const struct map_record *map = &model->maps[i];

        if (!belongs(model, map->site, 0, SERIES_MAPS))
            continue;
        out->items[out->count++] =
            (struct life){.site = map->site - 1,
                          .birth = series_tick(series, map->birth),
                          .size = map->length,
                          .units = (double)map->length / (double)series->page};
    }
}

static void add_deaths(struct lives *out, const struct model *model, const struct series *series,
                       unsigned column)
{
    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        const uint64_t tick = series_tick(series, death->death);
        struct life *life = &out->items[out->count];

        if (!belongs(model, death->site, death->size, column))
            continue;
        *life = (struct life){.site = death->site - 1,
                              .birth = series_tick(series, death->birth),
                              .death = tick > series->ticks ? 0 : tick,
                              .later = tick > series->ticks,
                              .size = death->size};
        if (life->size == 0 && column != SERIES_MAPS)
            life->size = ledger_class_floor(model->sites[life->site].class_index);
        life->units = column == SERIES_MAPS
                          ? (double)life->size / (double)series->page
                          : model_mean_units(&model->sites[life->site], life->size);
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
    if (column >= SERIES_TOTAL || !(model->head.watched >> column & 1))
        return UINT64_MAX;
    if (model->totals.watched_since[column])
        return series_tick(series, model->totals.watched_since[column]) - 1;
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];

        if (belongs(model, block->site, block->size, column) && block->weight == block->size &&
            block->birth < oldest)
            oldest = block->birth;
    }
    return oldest == UINT64_MAX ? series->ticks : series_tick(series, oldest);
}

/* Of all classes together: no class that matters began to be watched after this tick. Before, its
 * blocks are few and stand for many, after it they are many and stand for themselves; a window over
 * both would see only the young. */
static uint64_t uniform_from(const struct lives *lives, const struct model *model,
                             const struct series *series)
{
    size_t counts[LEDGER_CLASSES] = {0};
    uint64_t latest = 0;

    for (size_t i = 0; i < lives->count; i++)
        counts[ledger_class(lives->items[i].size)]++;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++) {
        uint64_t from;

        if (counts[c] * RULE_MATTERS < lives->count || !(model->head.watched >> c & 1))
            continue;
        from = watched_from(model, series, c);
        latest = from > latest ? from : latest;
    }
    return latest;
}

static int by_birth(const void *left, const void *right, void *items)
{
    const struct life *a = (const struct life *)items + *(const uint32_t *)left;
    const struct life *b = (const struct life *)items + *(const uint32_t *)right;

    return (a->birth > b->birth) - (a->birth < b->birth);
}

static void put_in_order(struct lives *out, struct arena *arena)
{
    qsort(out->items, out->count, sizeof(*out->items), by_site_and_birth);
    out->by_birth = arena_take(arena, out->count + 1, sizeof(*out->by_birth));
    if (!out->by_birth) {
        out->count = 0;
        return;
    }
    for (size_t i = 0; i < out->count; i++)
        out->by_birth[i] = (uint32_t)i;
    qsort_r(out->by_birth, out->count, sizeof(*out->by_birth), by_birth, out->items);
}

/* Gives all blocks of a stack the first site of that stack. */
static void join_stacks(struct lives *out, const struct model *model, struct arena *arena)
{
    uint32_t *first = arena_take(arena, model->frame_count + 1, sizeof(*first));

    for (uint32_t i = 0; first && i < model->site_count; i++)
        if (belongs(model, i + 1, 0, out->column) && !first[model->sites[i].stack])
            first[model->sites[i].stack] = i + 1;
    for (size_t i = 0; first && i < out->count; i++)
        out->items[i].site = first[model->sites[out->items[i].site].stack] - 1;
}

/* Small objects are sampled in windows of time. Sets `uniform` and `until` to the latest window. */
static void set_window(struct lives *out, const struct series *series)
{
    size_t end = series->count, begin;

    while (end > 0 && !series->points[end - 1].watched)
        end--;
    for (begin = end; begin > 0 && series->points[begin - 1].watched;)
        begin--;
    out->until = end > 0 ? series->points[end - 1].tick : 0;
    out->uniform = begin > 0 ? series->points[begin - 1].tick : 0;
}

void lives_collect(struct lives *out, const struct model *model, const struct series *series,
                   unsigned column, struct arena *arena)
{
    *out = (struct lives){.column = column,
                          .certain = watched_from(model, series, column),
                          .until = series->ticks};
    out->items = arena_take(arena, how_many(model, column) + 1, sizeof(*out->items));
    if (!out->items)
        return;
    if (column == SERIES_MAPS)
        add_maps(out, model, series);
    else
        add_blocks(out, model, series, column);
    add_deaths(out, model, series, column);
    if (column == SERIES_OBJECTS)
        set_window(out, series);
    if (series_joins(column))
        join_stacks(out, model, arena);
    if (column == SERIES_TOTAL) {
        out->uniform = uniform_from(out, model, series);
    } else if (out->certain != UINT64_MAX) {
        out->uniform = out->certain;
    }
    if (model->death_count > 0 && model->deaths_seen > model->death_count)
        out->complete = series_tick(series, model->deaths[0].death);
    put_in_order(out, arena);
}

/* How many blocks of this site died at this age or older. The histogram has every death, but it
 * is coarse and includes deaths after the last tick. */
static uint64_t by_histogram(const struct model_site *site, double ordinals)
{
    uint64_t died = 0;

    for (unsigned k = 1; k < LEDGER_AGES; k++)
        if ((double)(1u << (k - 1)) >= ordinals)
            died += site->ages[k];
    return died;
}

/* Adds up by_histogram() over `site`, over all sites of its stack in columns that join, or with
 * `all` over all sites of the column. */
static uint64_t by_histograms(const struct model *model, const struct lives *lives, uint32_t site,
                              bool all, double ordinals)
{
    uint64_t died = 0;

    for (uint32_t i = 0; i < model->site_count; i++)
        if (belongs(model, i + 1, 0, lives->column) &&
            (all || i == site ||
             (series_joins(lives->column) && model->sites[i].stack == model->sites[site].stack)))
            died += by_histogram(&model->sites[i], ordinals);
    return died;
}

uint64_t lives_died_old(const struct model *model, const struct series *series,
                        const struct lives *lives, const struct life *items, size_t count,
                        uint64_t age)
{
    const double ordinals = (double)age * (double)series->ordinals / (double)series->ticks;
    uint64_t died = 0, later = 0, counted;

    for (size_t i = 0; i < count; i++) {
        died += items[i].death && items[i].death - items[i].birth >= age;
        later += items[i].later;
    }
    if (count == 0 || model->deaths_seen <= model->death_count)
        return died;
    counted = by_histograms(model, lives, items[0].site, count == lives->count, ordinals);
    counted = counted > later ? counted - later : 0;
    return counted > died ? counted : died;
}
