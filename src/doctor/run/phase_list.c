/* phase_list.c - see phase_list.h. */
#include "doctor/run/phase_list.h"

#include "doctor/source/places.h"

#define PHASES_MOST 16 /* a longer list is not worth reading */

static uint64_t memory_at(const struct step_record *step)
{
    return step->live_bytes + step->mapped_bytes + step->gauges[GAUGE_python_arenas];
}

/* What the process had at the end of this interval. */
static uint64_t memory_by(const struct model *model, uint64_t ordinal)
{
    size_t low = 0, high = model->step_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (model->steps[middle].last < ordinal)
            low = middle + 1;
        else
            high = middle;
    }
    if (model->step_count == 0)
        return 0;
    return memory_at(&model->steps[low < model->step_count ? low : model->step_count - 1]);
}

/* The interval of the last tick: behind it, a program lets go of what it held. */
static uint64_t last_tick(const struct model *model)
{
    size_t i = model->step_count;

    while (i > 0 && model->steps[i - 1].ticked == 0)
        i--;
    return i > 0 ? model->steps[i - 1].last : UINT64_MAX;
}

static bool is_same(const struct phase_record *one, const struct phase_record *other)
{
    return one->kind == other->kind && one->unit == other->unit && one->offset == other->offset;
}

/* The phases before this one that are the same: it comes again. */
static struct phase_summary *seen_before(struct phase_summary *list, const size_t *firsts, size_t count,
                                         const struct model *model, size_t phase)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(&model->phases[firsts[i]], &model->phases[phase]))
            return &list[i];
    return NULL;
}

static void begin(struct phase_summary *out, const struct visit *visit, const struct phase_record *record)
{
    const struct phase_loop *judged = visit->clock.loop;

    *out = (struct phase_summary){
        .kind = record->kind,
        .judged = record->kind == PHASE_LOOP
                      ? judged && judged->unit == record->unit && judged->offset == record->offset
                      : record->kind == PHASE_STEPS && !clock_is_weak(&visit->clock)};
    if (record->kind == PHASE_LOOP && visit->places)
        out->place = places_python(visit->places, record->unit, record->offset);
}

/* One stretch of it, up to the next phase or to the end. */
static void extend(struct phase_summary *out, const struct model *model, size_t phase)
{
    const struct phase_record *record = &model->phases[phase];
    const struct phase_record *next = phase + 1 < model->phase_count ? record + 1 : NULL;
    const uint64_t end = next ? next->time : model->totals.time;
    const uint64_t turns = next ? next->turns : model->totals.clock[CLOCK_loop];
    const uint64_t last = next ? next->ordinal : last_tick(model);
    const uint64_t before = phase > 0 ? memory_by(model, record->ordinal) : 0;

    out->seconds += end > record->time ? (double)(end - record->time) / 1e9 : 0;
    if (record->kind == PHASE_LOOP && turns > record->turns)
        out->turns += turns - record->turns;
    out->kept += (int64_t)memory_by(model, last) - (int64_t)before;
    out->times++;
}

static void note_over(struct phase_summary *out, const struct visit *visit, const struct phase_record *record)
{
    struct phases phases;

    phases_read(&phases, visit->model, visit->scratch);
    for (size_t i = 0; i < phases.loop_count; i++)
        if (phases.loops[i].unit == record->unit && phases.loops[i].offset == record->offset)
            out->over = phases.loops[i].over;
}

void phase_list_fill(struct process_report *report, const struct visit *visit)
{
    const struct model *model = visit->model;
    struct phase_summary *list = arena_take(visit->arena, PHASES_MOST, sizeof(*list));
    size_t firsts[PHASES_MOST], count = 0;

    for (size_t i = 0; list && i < model->phase_count; i++) {
        struct phase_summary *one = seen_before(list, firsts, count, model, i);

        if (!one && count == PHASES_MOST)
            continue;
        if (!one) {
            one = &list[count];
            firsts[count++] = i;
            begin(one, visit, &model->phases[i]);
        }
        extend(one, model, i);
    }
    for (size_t i = 0; i < count; i++)
        if (model->phases[firsts[i]].kind == PHASE_LOOP)
            note_over(&list[i], visit, &model->phases[firsts[i]]);
    report->phases = list;
    report->phase_count = count;
}
