/* fold.c - see fold.h. */
#include "doctor/run/fold.h"

#include <stdio.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/judge/judge.h"
#include "ledger/model.h"

#define LITTLE_BYTES (4u << 20) /* live at the end: so little is not evidence if nothing was decided */

/* It turned itself off, was cut, or was measured line by line: somebody may want to read that. */
static bool is_special(const struct model *model)
{
    return model->cut || model->off_reason[0] || model->line_count > 0;
}

static bool is_silent(const struct process_report *report, const struct model *model)
{
    if (report->verdict == KIND_undecided)
        return report->finding_count == 0 && model_live_bytes(model) < LITTLE_BYTES;
    return report->verdict == KIND_clean && report->finding_count == 0;
}

static uint64_t born(const struct model *model)
{
    uint64_t sum = 0;

    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        sum += model->totals.classes[c].born_bytes;
    return sum;
}

static void fill(struct folded_record *out, const struct model *model,
                 const struct process_report *report)
{
    *out = (struct folded_record){.pid = model->head.pid,
                                  .generation = model->head.generation,
                                  .parent_pid = model->head.parent_pid,
                                  .state = model->head.state,
                                  .verdict = (uint32_t)report->verdict,
                                  .start = model->head.start_mono,
                                  .end = model->head.seen_mono,
                                  .steps = model->totals.ordinal,
                                  .live_bytes = model_live_bytes(model),
                                  .live_blocks = model_live_blocks(model),
                                  .peak_bytes = model->peak.live_bytes,
                                  .born_bytes = born(model)};
}

bool fold_examine(const char *path, struct folded_record *out, char *program)
{
    struct arena *arena = arena_new();
    struct process_report report = {.pid = 0};
    struct model *model = NULL;
    struct why why;
    bool fold = arena && model_load_file(&model, path, &why) == 0 &&
                model->head.role == ROLE_PROCESS && !is_special(model) &&
                judge_process(&report, model, NULL, arena, &why) == 0 &&
                is_silent(&report, model);

    if (fold) {
        fill(out, model, &report);
        (void)snprintf(program, FOLD_TEXT, "%s", model->program);
    }
    model_free(model);
    arena_free(arena);
    return fold;
}
