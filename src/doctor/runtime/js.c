/* js.c - JavaScript in V8: a collector frees everything, at a time of its choice. */
#include "doctor/facts/rules.h"
#include "doctor/measure/visit.h"
#include "doctor/runtime/js_collected.h"
#include "doctor/runtime/js_garbage.h"
#include "doctor/runtime/runtimes.h"
#include "doctor/runtime/script.h"
#include "doctor/runtime/worker_ends.h"
#include "ledger/model.h"

/* The adapter reports the size of the heap, also where no line of a script was ever needed. */
static bool present(const struct model *model)
{
    return model->script_count > 0 ||
           (model->step_count > 0 && model->code_count == 0 &&
            model->steps[model->step_count - 1].gauges[GAUGE_heap_used] > 0);
}

/* Garbage may stay for any time. Nothing is known if no collection examined these blocks, or if one
 * examined only the blocks of set-up. */
static bool unproven(const struct collected *collected, const struct visit *visit,
                     const struct cohort *cohort)
{
    if (collected->script && collected->released + collected->alive == 0)
        return true;
    if (collected->script && collected->made > 0 && !collected->late &&
        collected_left(collected, visit->model, &visit->series, cohort->site,
                       cohort->first / RULE_SET_UP) < RULE_SURVIVORS)
        return true;
    return runtime_only_late(collected);
}

static void take_out_garbage(struct series *series, const struct model *model, struct arena *arena)
{
    if (model->script_count > 0)
        js_garbage_take_out(series, model, arena);
}

static void add_notes(struct visit *visit)
{
    visit_note(visit, script_note(visit));
    visit_note(visit, worker_ends_note(visit));
}

const struct runtime runtime_js = {
    .name = "javascript",
    .managed = true,
    .own_heap = true,
    .frees_later = true,
    .lag_remedy = REMEDY_collect_script,
    .present = present,
    .collected = js_collected,
    .end_fall = js_end_fall,
    .take_out_garbage = take_out_garbage,
    .unproven = unproven,
    .waits = script_waits,
    .stayed = script_stayed,
    .bookkeeping = script_bookkeeping,
    .pages = script_pages,
    .own = script_is_own,
    .heap_full = script_full,
    .add_notes = add_notes,
};
