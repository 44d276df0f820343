/* silence.c - see silence.h. */
#include "doctor/measure/silence.h"

#include <string.h>

#include "base/invariant.h"

#define POINTS_MOST 64u        /* points that are added; each stands for many slices, like a merged record */
#define GREW_NOT    65536u     /* bytes; a smaller rise may be the interpreter's own */
#define SLICE       10000000u  /* nanoseconds of one slice */

/* When a process without a recorded end ended or was last seen alive; 0: not known. */
static uint64_t seen_until(const struct run *run, const struct model *model)
{
    uint64_t seen = 0;

    for (size_t i = 0; run && i < run->process_count; i++)
        if (run->processes[i]->head.pid == model->head.pid &&
            run->processes[i]->head.generation > model->head.generation)
            return 0; /* it is another program now */
    for (size_t i = 0; run && run->own && i < run->own->process_count; i++)
        if (run->own->processes[i].pid == model->head.pid)
            seen = run->own->processes[i].end ? run->own->processes[i].end : run->own->head.seen_mono;
    return seen;
}

static uint64_t end_of(const struct run *run, const struct model *model)
{
    const uint64_t step = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;
    const uint64_t word = model->totals.time > step ? model->totals.time : step;
    uint64_t seen;

    if (model->head.state == STATE_ENDED || model->head.state == STATE_OFF)
        return word;
    seen = seen_until(run, model);
    return seen > word ? seen : word;
}

static uint64_t memory_at(const struct step_record *record)
{
    return record->live_bytes + record->mapped_bytes + record->shared_bytes +
           record->gauges[GAUGE_python_arenas];
}

/* The record in which the last slice was counted. */
static const struct step_record *last_slice(const struct visit *visit)
{
    const struct model *model = visit->model;

    for (size_t i = model->step_count; i-- > 0;)
        if (model->steps[i].last <= visit->series.ordinals)
            return &model->steps[i];
    return NULL;
}

/* Memory grew after the last slice. At its end a process records its memory once more. Up to
 * twice the mean growth of a slice counts as growth of the last slice. */
static bool grew_since(const struct visit *visit)
{
    const struct step_record *first = &visit->model->steps[0], *last = last_slice(visit);
    const struct step_record *end = &visit->model->steps[visit->model->step_count - 1];
    uint64_t room = GREW_NOT, pace;

    if (!last)
        return true;
    pace = memory_at(last) > memory_at(first) && visit->series.ticks > 0
               ? (memory_at(last) - memory_at(first)) / visit->series.ticks
               : 0;
    room = 2 * pace > room ? 2 * pace : room;
    return memory_at(end) > memory_at(last) + room;
}

static void append(struct series *series, uint64_t ticks, uint64_t time)
{
    const struct point *last = &series->points[series->count - 1];
    struct point *point = &series->points[series->count++];

    *point = *last;
    point->tick += ticks;
    point->time += time;
    series->ticks = point->tick;
}

void silence_add(struct visit *visit)
{
    struct series *series = &visit->series;
    const uint64_t end = end_of(visit->run, visit->model);
    uint64_t first, last, silent, slices, count;
    struct point *points;

    if (!series->slices || series->count < 2 || grew_since(visit))
        return;
    first = series->points[0].time;
    last = series->points[series->count - 1].time;
    silent = end > last ? end - last : 0;
    slices = silent / SLICE;
    if (silent <= last - first || slices < RULE_FIRST_SLICE)
        return;
    count = slices < POINTS_MOST ? slices : POINTS_MOST;
    points = arena_take(visit->scratch, series->count + count, sizeof(*points));
    if (!points)
        return;
    memcpy(points, series->points, series->count * sizeof(*points));
    series->points = points;
    for (uint64_t i = 0; i < count; i++)
        append(series, slices * (i + 1) / count - slices * i / count, silent / count);
    visit->clock.ticks = series->ticks;
    INVARIANT(series_is_valid(series));
}
