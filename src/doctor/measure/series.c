/* series.c - see series.h. */
#include "doctor/measure/series.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/invariant.h"
#include "doctor/measure/runtime.h"

static uint32_t pages(uint64_t bytes, uint64_t page)
{
    const uint64_t count = bytes / page;

    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static uint32_t tensors(const struct step_record *step)
{
    return pages(step->gauges[GAUGE_tensors], 1);
}

static uint32_t objects(const struct step_record *step)
{
    const uint64_t blocks = step->gauges[GAUGE_python_blocks];

    return blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
}

static uint32_t device_blocks(const struct step_record *step)
{
    return pages(step->gauges[GAUGE_device_blocks], 1);
}

/* The framework's byte count covers only tensors that exist. It counts every tensor that was not
 * disposed; that is right if no collector has freed any, and if its backend has received all of
 * them or counts them itself. */
static bool counts_bytes(const struct step_record *step)
{
    return step->gauges[GAUGE_tensors_collected] == 0 &&
           (step->gauges[GAUGE_tensors_unused] == 0 || step->gauges[GAUGE_device_taken] > 0);
}

static void begin(struct point *point, const struct step_record *step, uint64_t page)
{
    memset(point, 0, sizeof(*point));
    memcpy(point->least, step->class_blocks, sizeof(step->class_blocks));
    point->least[SERIES_MAPS] = pages(step->mapped_bytes + step->shared_bytes, page);
    point->least[SERIES_TENSORS] = tensors(step);
    point->least[SERIES_OBJECTS] = objects(step);
    point->least[SERIES_DEVICE] = device_blocks(step);
    point->live_min = step->live_min;
    point->tensor_bytes = step->gauges[GAUGE_tensor_bytes];
    point->device_bytes = step->gauges[GAUGE_device_used];
}

/* Takes one more record into a tick that has not ended yet. */
static void extend(struct point *point, const struct step_record *step, uint64_t page)
{
    const uint32_t mapped = pages(step->mapped_bytes + step->shared_bytes, page);

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        if (step->class_blocks[c] < point->least[c])
            point->least[c] = step->class_blocks[c];
    if (mapped < point->least[SERIES_MAPS])
        point->least[SERIES_MAPS] = mapped;
    if (tensors(step) < point->least[SERIES_TENSORS])
        point->least[SERIES_TENSORS] = tensors(step);
    if (objects(step) < point->least[SERIES_OBJECTS] || point->least[SERIES_OBJECTS] == 0)
        point->least[SERIES_OBJECTS] = objects(step);
    if (device_blocks(step) < point->least[SERIES_DEVICE])
        point->least[SERIES_DEVICE] = device_blocks(step);
    if (step->live_min < point->live_min)
        point->live_min = step->live_min;
    if (step->gauges[GAUGE_tensor_bytes] < point->tensor_bytes)
        point->tensor_bytes = step->gauges[GAUGE_tensor_bytes];
    if (step->gauges[GAUGE_device_used] < point->device_bytes)
        point->device_bytes = step->gauges[GAUGE_device_used];
}

static void finish(struct point *point, const struct step_record *step, uint64_t tick)
{
    uint64_t total = 0;

    point->tick = tick;
    point->ordinal = step->last;
    point->time = step->time;
    point->mapped = step->mapped_bytes + step->shared_bytes;
    point->resident = step->resident;
    point->allocated_blocks = step->allocated_blocks;
    point->arenas = step->gauges[GAUGE_python_arenas];
    point->full = step->gauges[GAUGE_python_full];
    point->watched = step->gauges[GAUGE_python_watched] != 0;
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        total += point->least[c];
    point->least[SERIES_TOTAL] = total < UINT32_MAX ? (uint32_t)total : UINT32_MAX;
}

/* The series ends where the program's work ended. */
static void leave_out_end(struct series *out, const struct model *model)
{
    const uint64_t fall = runtime_of(model)->end_fall(model);

    while (fall && out->count > 1 && out->points[out->count - 1].ordinal >= fall)
        out->count--;
}

void series_build(struct series *out, const struct model *model, const struct clock_choice *clock,
                  struct arena *arena)
{
    struct point *point = NULL;
    uint64_t seen = 0;
    bool open = false;

    *out = (struct series){.page = model->head.page_size ? model->head.page_size : 4096,
                           .slices = clock->id == CLOCK_time,
                           .from = clock->from,
                           .first_look =
                               clock->id == CLOCK_time ? RULE_FIRST_SLICE : RULE_FIRST_LOOK};
    out->points = arena_take(arena, model->step_count + 1, sizeof(*out->points));
    if (!out->points)
        return;
    for (size_t i = 0; i < model->step_count; i++) {
        const struct step_record *step = &model->steps[i];
        const uint64_t tick = clock_tick(clock, step);

        point = &out->points[out->count];
        if (open && step->last >= clock->from) /* minima from before the judged phase do not count */
            extend(point, step, out->page);
        else
            begin(point, step, out->page);
        open = tick <= seen;
        if (open)
            continue;
        finish(point, step, tick);
        seen = tick;
        out->count++;
    }
    leave_out_end(out, model);
    out->ticks = out->count ? out->points[out->count - 1].tick : 0;
    out->ordinals = out->count ? out->points[out->count - 1].ordinal : 0;
    out->tensor_bytes = model->step_count > 0 && counts_bytes(&model->steps[model->step_count - 1]);
    runtime_of(model)->take_out_garbage(out, model, arena);
    INVARIANT(series_is_valid(out));
}

bool series_is_valid(const struct series *series)
{
    const struct point *last = series->count > 0 ? &series->points[series->count - 1] : NULL;

    for (size_t i = 1; i < series->count; i++)
        if (series->points[i].tick <= series->points[i - 1].tick ||
            series->points[i].ordinal < series->points[i - 1].ordinal)
            return false;
    return series->page > 0 && series->ticks == (last ? last->tick : 0) &&
           series->ordinals == (last ? last->ordinal : 0);
}

size_t series_after(const struct series *series, uint64_t tick)
{
    size_t low = 0, high = series->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (series->points[middle].tick > tick)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t series_point(const struct series *series, uint64_t ordinal)
{
    size_t low = 0, high = series->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (series->points[middle].ordinal >= ordinal)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t series_tick(const struct series *series, uint64_t ordinal)
{
    const struct point *point;
    uint64_t tick = 0, before = 0;

    if (ordinal > series->ordinals)
        return series->ticks + 1;
    if (ordinal < series->from)
        return 1;
    point = &series->points[series_point(series, ordinal)];
    if (point > series->points) {
        tick = point[-1].tick;
        before = point[-1].ordinal;
    }
    /* The ticks of a merged point count as equally long. For a point of one tick this gives that
     * tick. */
    return tick + ((ordinal - before) * (point->tick - tick) + point->ordinal - before - 1) /
                      (point->ordinal - before);
}

static void lower(struct segments *out, uint64_t part, const struct point *point, bool first)
{
    uint32_t *least = out->least[part];

    if (first) {
        memcpy(least, point->least, sizeof(point->least));
        out->live[part] = point->live_min;
        out->tensor_bytes[part] = point->tensor_bytes;
        out->device_bytes[part] = point->device_bytes;
        return;
    }
    for (unsigned c = 0; c < SERIES_COLUMNS; c++)
        least[c] = point->least[c] < least[c] ? point->least[c] : least[c];
    if (point->live_min < out->live[part])
        out->live[part] = point->live_min;
    if (point->tensor_bytes < out->tensor_bytes[part])
        out->tensor_bytes[part] = point->tensor_bytes;
    if (point->device_bytes < out->device_bytes[part])
        out->device_bytes[part] = point->device_bytes;
}

bool series_segments(const struct series *series, uint64_t from, uint64_t to, struct segments *out)
{
    unsigned seen = 0;

    out->width = to > from ? (to - from) / RULE_SEGMENTS : 0;
    out->from = to - out->width * RULE_SEGMENTS;
    if (out->width == 0)
        return false;
    for (size_t i = series_after(series, out->from); i < series->count; i++) {
        const struct point *point = &series->points[i];
        uint64_t part;

        if (point->tick > to)
            break;
        part = (point->tick - out->from - 1) / out->width;
        lower(out, part, point, !(seen >> part & 1));
        seen |= 1u << part;
    }
    return seen == (1u << RULE_SEGMENTS) - 1;
}

void series_peaks(const struct series *series, uint64_t from, uint64_t to,
                  uint32_t peaks[SERIES_COLUMNS])
{
    memset(peaks, 0, SERIES_COLUMNS * sizeof(*peaks));
    for (size_t i = series_after(series, from); i < series->count; i++) {
        const struct point *point = &series->points[i];

        if (point->tick > to)
            break;
        for (unsigned c = 0; c < SERIES_COLUMNS; c++)
            peaks[c] = point->least[c] > peaks[c] ? point->least[c] : peaks[c];
    }
}

uint64_t series_value(const struct point *point, unsigned column)
{
    if (column == SERIES_DEVICE)
        return point->device_bytes;
    return column == SERIES_OBJECTS ? point->least[column] : point->live_min;
}

double series_fall(const struct series *series, unsigned column, size_t begin)
{
    uint64_t most = 0;
    double fall = 0;

    for (size_t i = begin; i < series->count; i++) {
        const uint64_t live = series_value(&series->points[i], column);

        most = live > most ? live : most;
        fall = fmax(fall, (double)(most - live));
    }
    return fall;
}

/* The first point of the second quarter with the least live bytes. */
static const struct point *least_early(const struct series *series)
{
    const size_t quarter = series->count / 4;
    const struct point *least = NULL;

    for (size_t i = quarter; i < 2 * quarter; i++)
        if (!least || series->points[i].live_min < least->live_min)
            least = &series->points[i];
    return least;
}

/* The last point of the last quarter with the least live bytes, or with the most. */
static const struct point *extreme_late(const struct series *series, bool most)
{
    const struct point *best = NULL;

    for (size_t i = series->count; i-- > series->count - series->count / 4;) {
        const struct point *point = &series->points[i];

        if (!best || (most ? point->live_min > best->live_min : point->live_min < best->live_min))
            best = point;
    }
    return best;
}

static double growth_between(const struct point *first, const struct point *last)
{
    if (!first || !last || last->tick <= first->tick || last->live_min <= first->live_min)
        return 0;
    return (double)(last->live_min - first->live_min) / (double)(last->tick - first->tick);
}

double series_growth_most(const struct series *series)
{
    return growth_between(least_early(series), extreme_late(series, true));
}

double series_growth(const struct series *series)
{
    const struct point *first = least_early(series), *last = extreme_late(series, false);
    const double rate = growth_between(first, last);

    if (rate > 0 && series_fall(series, SERIES_TOTAL, series->count / 4) * 2 >
                        (double)(last->live_min - first->live_min))
        return 0;
    return rate;
}
