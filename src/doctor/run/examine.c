/* examine.c - see examine.h. The rules run first, and the words are made last: so no rule can read them. */
#include "doctor/run/examine.h"

#include "doctor/measure/visit.h"
#include "doctor/judge/judge.h"
#include "doctor/peak/peaks.h"
#include "doctor/run/phase_list.h"
#include "doctor/say/say.h"
#include "ledger/model.h"

void examine_visit(struct process_report *report, struct visit *visit)
{
    judge_visit(report, visit);
    phase_list_fill(report, visit);
    peaks_fill(report, visit);
    say_process(report, visit);
}

int examine_process(struct process_report *report, const struct model *model, const struct run *run,
                    struct places *places, struct arena *arena, struct why *why)
{
    struct visit *visit = visit_new(model, run, places, arena);
    int err;

    if (visit)
        examine_visit(report, visit);
    err = visit_is_whole(visit) ? 0 : fail(why, ERR_NOMEM, "no room to judge process %u", model->head.pid);
    visit_free(visit);
    return err;
}
