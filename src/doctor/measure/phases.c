/* phases.c - see phases.h. A ledger may be forged: no order of its numbers is relied on. */
#include "doctor/measure/phases.h"

#include "base/arena.h"
#include "doctor/facts/rules.h"

static bool is_of(const struct phase_record *record, const struct phase_loop *loop)
{
    return record->kind == PHASE_LOOP && record->unit == loop->unit && record->offset == loop->offset;
}

static struct phase_loop *loop_of(struct phase_loop *loops, size_t count,
                                  const struct phase_record *record)
{
    for (size_t i = 0; i < count; i++)
        if (is_of(record, &loops[i]))
            return &loops[i];
    return NULL;
}

/* The count of all loops' turns when the phase ended. */
static uint64_t end_of(const struct model *model, size_t phase)
{
    const uint64_t begin = model->phases[phase].turns;
    const uint64_t end =
        phase + 1 < model->phase_count ? model->phases[phase + 1].turns : model->totals.clock[CLOCK_loop];

    return end > begin ? end : begin;
}

/* At most RULE_PHASE_LOOPS loops are distinguished; further ones are ignored. */
static size_t find_loops(struct phase_loop *loops, const struct model *model)
{
    size_t count = 0;

    for (size_t i = 0; i < model->phase_count; i++) {
        const struct phase_record *record = &model->phases[i];

        if (record->kind != PHASE_LOOP || loop_of(loops, count, record))
            continue;
        if (count == RULE_PHASE_LOOPS)
            break;
        loops[count++] = (struct phase_loop){.unit = record->unit,
                                             .offset = record->offset,
                                             .from = record->ordinal,
                                             .around = record->around,
                                             .library = record->library == 1};
    }
    return count;
}

static uint64_t span(uint64_t from, uint64_t to)
{
    return from > 0 && to > from ? to - from : 0;
}

static uint64_t end_time(const struct model *model)
{
    const uint64_t last = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;

    return model->totals.time > last ? model->totals.time : last;
}

static void fill_stretches(struct phase_loop *loop, const struct model *model, struct arena *arena)
{
    struct phase_stretch *stretches;
    uint64_t others = 0; /* work of other phases since this loop was left */
    size_t count = 0, last = 0;

    for (size_t i = 0; i < model->phase_count; i++)
        count += is_of(&model->phases[i], loop);
    stretches = arena_take(arena, count, sizeof(*stretches));
    if (!stretches)
        return;
    loop->stretches = stretches;
    for (size_t i = 0; i < model->phase_count; i++) {
        const uint64_t begin = model->phases[i].turns, end = end_of(model, i);

        if (!is_of(&model->phases[i], loop)) {
            others += model->phases[i].work + model->phases[i].after;
            continue;
        }
        if (loop->stretch_count > 0 && others > loop->absence)
            loop->absence = others;
        others = model->phases[i].after;
        stretches[loop->stretch_count++] = (struct phase_stretch){begin, end, loop->turns};
        loop->turns += end - begin;
        loop->lasted += span(model->phases[i].time, model->phases[i].last);
        loop->since = span(model->phases[i].last, end_time(model));
        loop->work += model->phases[i].work;
        loop->pause = model->phases[i].pause > loop->pause ? model->phases[i].pause : loop->pause;
        last = i;
    }
    /* Not all turns of a library's loop are counted. Work between the counted ones was done in
     * the others. */
    if (count > 0 && loop->library)
        loop->work += model->phases[last].after;
    else if (count > 0)
        loop->after = model->phases[last].after;
    for (size_t i = last + 1; i < model->phase_count; i++)
        loop->after += model->phases[i].after + model->phases[i].work;
}

/* More has followed the loop than the end of its last turn and tidying up. */
static bool is_much(uint64_t after, uint64_t own, uint64_t turns)
{
    const uint64_t turn = turns > 0 ? own / turns : 0;

    return after * RULE_PHASE_SHARE >= own && after >= RULE_GAP * turn;
}

/* The loop is over if much other work has followed:
 * - it is a good part of the loop's own work, by processor time and by wall time. Both are needed: a loop
 *   that waits at each turn does little work, and a program that waits after its loop does none;
 * - it is more than what a reading of the processor time may be late;
 * - it is more than the longest pause inside the loop, for instance a turn with an evaluation;
 * - it is twice as much as between any two of its stretches. */
static bool is_over(const struct phase_loop *loop)
{
    return loop->after >= RULE_PHASE_GRAIN && is_much(loop->after, loop->work, loop->turns) &&
           is_much(loop->since, loop->lasted, loop->turns) && loop->after > loop->pause &&
           loop->after / 2 >= loop->absence;
}

void phases_read(struct phases *out, const struct model *model, struct arena *arena)
{
    struct phase_loop *loops = arena_take(arena, RULE_PHASE_LOOPS, sizeof(*loops));

    *out = (struct phases){.known = model->phase_count > 0, .loops = loops};
    if (!loops)
        return;
    out->loop_count = find_loops(loops, model);
    for (size_t i = 0; i < out->loop_count; i++) {
        fill_stretches(&loops[i], model, arena);
        loops[i].over = is_over(&loops[i]);
    }
}

bool phases_go_on(const struct phases *phases)
{
    for (size_t i = 0; i < phases->loop_count; i++)
        if (!phases->loops[i].over)
            return true;
    return false;
}

uint64_t phases_turns(const struct phase_loop *loop, uint64_t all)
{
    size_t low = 0, high = loop->stretch_count;
    const struct phase_stretch *last;

    while (low < high) { /* the first stretch that begins later */
        const size_t middle = low + (high - low) / 2;

        if (loop->stretches[middle].begin >= all)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == 0)
        return 0;
    last = &loop->stretches[low - 1];
    return last->before + (all < last->end ? all : last->end) - last->begin;
}
