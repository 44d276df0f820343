/* device_work.c - see device_work.h. */
#include "doctor/device_work.h"

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/evidence.h"
#include "doctor/remedies.h"

/* The device that released most when its work was done; NULL: none released anything. */
static const struct intervention_record *best_sync(const struct model *model)
{
    const struct intervention_record *best = NULL;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *one = &model->interventions[i];

        if (one->kind == INTERVENTION_SYNC && one->live_before >= one->live_after + RULE_PLATEAU_BYTES &&
            (!best || one->live_before - one->live_after > best->live_before - best->live_after))
            best = one;
    }
    return best;
}

double device_work_returned(const struct model *model)
{
    const struct intervention_record *sync = best_sync(model);

    return sync ? (double)(sync->live_before - sync->live_after) : 0;
}

bool device_work_record(const struct visit *visit, uint32_t site)
{
    const struct model *model = visit->model;

    return collected_device(model) && model->sites[site].kind == SITE_HEAP &&
           !collected_counted(model, &model->sites[site]);
}

void device_work_lag(struct finding *out, const struct visit *visit)
{
    const struct intervention_record *sync = best_sync(visit->model);
    struct collected collected;
    char size[TEXT_SIZE_MAX];

    if (!out->site || visit->model->sites[out->site - 1].kind != SITE_HEAP || !collected_device(visit->model))
        return;
    collected_of(&collected, visit->model, out->site - 1);
    if (sync || collected.turnless)
        out->remedy = remedy_of(REMEDY_await_device);
    if (sync)
        evidence_say(out, visit,
                     arena_print(visit->arena,
                             "The device had work in flight: when it was asked to finish, %s of live memory "
                             "went within %u steps.",
                             text_size(size, sync->live_before - sync->live_after), sync->released + 1));
}
