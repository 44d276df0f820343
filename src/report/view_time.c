/* view_time.c - memory over time for the page: columns of numbers, not more than it can show.
 *
 * Neighbouring steps are merged, so that all processes together have about POINTS_ALL points. A merged
 * point has the last number of live bytes and the highest resident size, so a peak stays visible.
 */

#include "doctor/facts/ticks.h"
#include "ledger/model.h"
#include "report/view_parts.h"

#define POINTS_ALL   16000 /* of all processes together */
#define POINTS_MOST  1500  /* of one of them */
#define POINTS_LEAST 60
#define EVENTS_MOST  200 /* interventions, searches, readings of one process */

static double seconds_since(uint64_t time, uint64_t start)
{
    return time > start ? (double)(time - start) / 1e9 : 0;
}

static size_t points_each(const struct view *view)
{
    const size_t count = view->profile->count > 0 ? view->profile->count : 1;
    const size_t each = POINTS_ALL / count;

    return each > POINTS_MOST ? POINTS_MOST : each < POINTS_LEAST ? POINTS_LEAST : each;
}

/* The records [*from, *to) that become point `index` of `points`. */
static void span_of(size_t index, size_t points, size_t records, size_t *from, size_t *to)
{
    *from = index * records / points;
    *to = (index + 1) * records / points;
}

/* ---- columns of one process ---- */

enum column { COLUMN_SECONDS, COLUMN_TICK, COLUMN_RESIDENT, COLUMN_LIVE, COLUMN_HIGH, COLUMN_MAPPED,
              COLUMN_SHARED, COLUMNS };

static const char *const column_names[COLUMNS] = {"seconds", "tick",   "resident", "live",
                                                  "high",    "mapped", "shared"};

static uint64_t value_of(const struct step_record *step, enum column column, int clock)
{
    switch (column) {
    case COLUMN_TICK:
        return step->clock[clock];
    case COLUMN_RESIDENT:
        return step->resident;
    case COLUMN_LIVE:
        return step->live_bytes;
    case COLUMN_HIGH:
        return step->live_max;
    case COLUMN_MAPPED:
        return step->mapped_bytes;
    default:
        return step->shared_bytes;
    }
}

static uint64_t merged(const struct model *model, size_t from, size_t to, enum column column,
                       int clock)
{
    const bool most = column == COLUMN_RESIDENT || column == COLUMN_HIGH;
    uint64_t value = value_of(&model->steps[to - 1], column, clock);

    for (size_t i = from; most && i < to; i++)
        if (value_of(&model->steps[i], column, clock) > value)
            value = value_of(&model->steps[i], column, clock);
    return value;
}

static void put_column(struct view *view, const struct model *model, enum column column, int clock,
                       size_t points)
{
    json_list(view->json, column_names[column]);
    for (size_t i = 0; i < points; i++) {
        size_t from, to;

        span_of(i, points, model->step_count, &from, &to);
        if (column == COLUMN_SECONDS)
            json_number(view->json, NULL,
                        seconds_since(model->steps[to - 1].time, model->head.start_mono));
        else
            json_count(view->json, NULL, merged(model, from, to, column, clock));
    }
    json_end(view->json, ']');
}

static bool counts_bytes(unsigned gauge)
{
    return gauge == GAUGE_tensor_bytes || gauge == GAUGE_heap_used || gauge == GAUGE_heap_kept ||
           gauge == GAUGE_external || gauge == GAUGE_python_arenas || gauge == GAUGE_device_used ||
           gauge == GAUGE_device_taken || gauge == GAUGE_device_pinned;
}

/* A program may have released everything at its last step, so one step with a value is enough. */
static bool has_values(const struct model *model, unsigned gauge)
{
    for (size_t i = 0; i < model->step_count; i++)
        if (model->steps[i].gauges[gauge] != 0)
            return true;
    return false;
}

/* A gauge without values is left out. */
static void put_gauge(struct view *view, const struct model *model, unsigned number,
                      const char *name, const char *says, size_t points)
{
    if (!has_values(model, number))
        return;
    json_object(view->json, NULL);
    json_text(view->json, "name", name);
    json_text(view->json, "says", says);
    json_truth(view->json, "bytes", counts_bytes(number));
    json_list(view->json, "values");
    for (size_t i = 0; i < points; i++) {
        size_t from, to;

        span_of(i, points, model->step_count, &from, &to);
        json_count(view->json, NULL, model->steps[to - 1].gauges[number]);
    }
    json_end(view->json, ']');
    json_end(view->json, '}');
}

/* ---- what the doctor had the process do, and how long each pause was ---- */

static void put_interventions(struct view *view, const struct model *model)
{
    json_list(view->json, "interventions");
    for (size_t i = 0; i < model->intervention_count && i < EVENTS_MOST; i++) {
        const struct intervention_record *record = &model->interventions[i];

        if (record->kind >= INTERVENTION_WORKER)
            continue; /* the doctor did not request it */
        json_object(view->json, NULL);
        json_number(view->json, "seconds", seconds_since(record->time, model->head.start_mono));
        json_text(view->json, "kind",
                  record->kind == INTERVENTION_TRIM      ? "trim"
                  : record->kind == INTERVENTION_COLLECT ? "collect"
                  : record->kind == INTERVENTION_SYNC    ? "sync"
                                                         : "intervention");
        json_number(view->json, "pause_seconds", (double)record->pause_ns / 1e9);
        json_count(view->json, "live_before", record->live_before);
        json_count(view->json, "live_after", record->live_after);
        json_count(view->json, "resident_before", record->resident_before);
        json_count(view->json, "resident_after", record->resident_after);
        json_end(view->json, '}');
    }
    json_end(view->json, ']');
}

static void put_searches(struct view *view, const struct model *model)
{
    json_list(view->json, "searches");
    for (size_t i = 0; i < model->holder_count && i < EVENTS_MOST; i++) {
        const struct holder_record *record = &model->holders[i];

        json_object(view->json, NULL);
        json_number(view->json, "seconds", seconds_since(record->time, model->head.start_mono));
        json_number(view->json, "pause_seconds", (double)record->pause_ns / 1e9);
        json_count(view->json, "scanned", record->scanned);
        json_truth(view->json, "done", record->state == HOLDER_DONE);
        json_end(view->json, '}');
    }
    json_end(view->json, ']');
}

/* Private memory as the kernel counts it: at most EVENTS_MOST pairs [seconds, bytes]. */
static void put_private(struct view *view, const struct model *model)
{
    const struct model *own = view->run->own;
    size_t count = 0, seen = 0;

    for (size_t i = 0; own && i < own->account_count; i++)
        count += own->accounts[i].pid == model->head.pid &&
                 own->accounts[i].generation == model->head.generation;
    json_list(view->json, "private");
    for (size_t i = 0; own && i < own->account_count; i++) {
        const struct account_record *record = &own->accounts[i];

        if (record->pid != model->head.pid || record->generation != model->head.generation)
            continue;
        if (seen++ % (count / EVENTS_MOST + 1) != 0 && seen != count)
            continue;
        json_list(view->json, NULL);
        json_number(view->json, NULL, seconds_since(record->time, model->head.start_mono));
        json_count(view->json, NULL, record->private_clean + record->private_dirty);
        json_end(view->json, ']');
    }
    json_end(view->json, ']');
}

static void put_timeline(struct view *view, const struct profile_process *process)
{
    const struct model *model = process->model;
    const size_t most = points_each(view);
    const size_t points = model->step_count < most ? model->step_count : most;
    const enum clock_id chosen = process->report->clock;
    const int clock = chosen == CLOCK_NONE ? CLOCK_time : (int)chosen;

    json_object(view->json, NULL);
    json_count(view->json, "pid", process->report->pid);
    json_count(view->json, "generation", process->report->generation);
    json_count(view->json, "recorded", model->step_count);
    for (unsigned column = 0; column < COLUMNS; column++)
        put_column(view, model, column, clock, points);
    json_list(view->json, "gauges");
#define GAUGE(number, name, says) put_gauge(view, model, number, #name, says, points);
#include "ledger/gauges.def"
#undef GAUGE
    json_end(view->json, ']');
    put_interventions(view, model);
    put_searches(view, model);
    put_private(view, model);
    json_end(view->json, '}');
}

/* ---- the run as a whole ---- */

static const char *limit_name(uint32_t kind)
{
    switch (kind) {
    case LIMIT_CGROUP:
        return "memory limit of the cgroup";
    case LIMIT_ADDRESS_SPACE:
        return "limit of the address space";
    case LIMIT_MACHINE:
        return "memory of the machine";
    case LIMIT_DEVICE:
        return "memory of the device";
    default:
        return "limit";
    }
}

static void put_samples(struct view *view, const struct model *own)
{
    const size_t points = own->sample_count < POINTS_MOST ? own->sample_count : POINTS_MOST;

    json_list(view->json, "samples");
    for (size_t i = 0; i < points; i++) {
        const struct sample_record *sample;
        size_t from, to;

        span_of(i, points, own->sample_count, &from, &to);
        sample = &own->samples[to - 1];
        json_list(view->json, NULL);
        json_number(view->json, NULL, seconds_since(sample->time, own->head.start_mono));
        json_count(view->json, NULL, sample->resident_max);
        json_count(view->json, NULL, sample->processes);
        json_end(view->json, ']');
    }
    json_end(view->json, ']');
}

static void put_run(struct view *view, const struct model *own)
{
    json_object(view->json, "run");
    put_samples(view, own);
    json_list(view->json, "limits");
    for (size_t i = 0; i < own->limit_count; i++) {
        json_object(view->json, NULL);
        json_text(view->json, "name", limit_name(own->limits[i].kind));
        json_count(view->json, "bytes", own->limits[i].bytes);
        json_count(view->json, "used", own->limits[i].used);
        json_truth(view->json, "device", own->limits[i].kind == LIMIT_DEVICE);
        json_end(view->json, '}');
    }
    json_end(view->json, ']');
    json_end(view->json, '}');
}

void view_time(struct view *view)
{
    if (view->run->own)
        put_run(view, view->run->own);
    else
        json_null(view->json, "run");
    json_list(view->json, "timelines");
    for (size_t i = 0; i < view->profile->count; i++)
        put_timeline(view, &view->profile->processes[i]);
    json_end(view->json, ']');
}
