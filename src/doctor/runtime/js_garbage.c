/* js_garbage.c - see js_garbage.h. */
#include "doctor/runtime/js_garbage.h"

#include "base/arena.h"
#include "doctor/measure/collected.h"
#include "ledger/writer.h"

/* Changes from one point to the next, column by column; made when a column needs it. */
struct changes {
    double *units[SERIES_COLUMNS]; /* count + 1 of them; in the arena */
    double *bytes;
};

/* The column in which this site's deaths are the collector's; SERIES_COLUMNS: none. */
static unsigned column_of(const struct model *model, const struct death_record *death)
{
    const struct model_site *site =
        death->site > 0 && death->site <= model->site_count ? &model->sites[death->site - 1] : NULL;

    if (!site || !collected_is_script(model, site->stack))
        return SERIES_COLUMNS;
    if (site->kind == SITE_TENSOR_MANAGED)
        return SERIES_TENSORS;
    if (site->kind != SITE_HEAP)
        return SERIES_COLUMNS;
    return death->size ? ledger_class(death->size) : site->class_index;
}

static void take(double *changes, size_t from, size_t to, double amount)
{
    changes[from] += amount;
    changes[to] -= amount;
}

/* It was there at the ends of the points from its birth on, and no more at the one of its death. */
static void note_death(struct changes *changes, const struct series *series,
                       const struct model *model, const struct death_record *death,
                       struct arena *arena)
{
    const unsigned column = column_of(model, death);
    const size_t room = series->count + 1;
    size_t from, to;
    double units;

    /* In its last step a script lets go of the variables of its modules: that tells nothing. */
    if (column == SERIES_COLUMNS || death->death >= series->ordinals)
        return;
    if (!changes->units[column])
        changes->units[column] = arena_take(arena, room, sizeof(*changes->units[column]));
    if (!changes->bytes)
        changes->bytes = arena_take(arena, room, sizeof(*changes->bytes));
    if (!changes->units[column] || !changes->bytes)
        return;
    from = series_point(series, death->birth);
    to = series_point(series, death->death);
    units = model_mean_units(&model->sites[death->site - 1], death->size);
    take(changes->units[column], from, to, units);
    if (column != SERIES_TENSORS)
        take(changes->bytes, from, to, units * death->size);
}

static uint32_t less(uint32_t from, double what)
{
    return what <= 0 ? from : what >= from ? 0 : (uint32_t)(from - what + 0.5);
}

static void apply(struct series *series, const struct changes *changes, unsigned column)
{
    double garbage = 0;

    for (size_t i = 0; i < series->count; i++) {
        struct point *point = &series->points[i];

        garbage += changes->units[column][i];
        point->least[column] = less(point->least[column], garbage);
        if (column < LEDGER_CLASSES)
            point->least[SERIES_TOTAL] = less(point->least[SERIES_TOTAL], garbage);
    }
}

static void apply_bytes(struct series *series, const double *changes)
{
    double garbage = 0;

    for (size_t i = 0; i < series->count; i++) {
        garbage += changes[i];
        if (garbage > 0)
            series->points[i].live_min -= garbage < (double)series->points[i].live_min
                                              ? (uint64_t)garbage
                                              : series->points[i].live_min;
    }
}

void js_garbage_take_out(struct series *series, const struct model *model, struct arena *arena)
{
    struct changes changes = {.bytes = NULL};

    if (series->count == 0)
        return;
    for (size_t i = 0; i < model->death_count; i++)
        note_death(&changes, series, model, &model->deaths[i], arena);
    for (unsigned c = 0; c < SERIES_COLUMNS; c++)
        if (changes.units[c])
            apply(series, &changes, c);
    if (changes.bytes)
        apply_bytes(series, changes.bytes);
}
