/* runtime.c - which runtime a process has. See doctor/measure/runtime.h. */
#include <stddef.h>

#include "doctor/measure/collected.h"
#include "doctor/measure/visit.h"
#include "doctor/runtime/runtimes.h"
#include "ledger/model.h"

const struct runtime *runtime_of(const struct model *model)
{
    static const struct runtime *const all[] = {
#define RUNTIME(name, when) &runtime_##name,
#include "doctor/runtime/runtime.def"
#undef RUNTIME
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i]->present(model))
            return all[i];
    return &runtime_native;
}

/* Set-up, the first eighth, leaves garbage of its own. */
static bool may_be_garbage(const struct collected *collected, const struct visit *visit,
                           const struct cohort *cohort)
{
    const uint64_t at = collected_at_work(visit->model, &visit->series);

    return collected->asked && collected->released + collected->alive == 0 &&
           visit->model->sites[cohort->site].kind == SITE_HEAP && at > visit->series.ticks / 8 &&
           collected_bytes(visit->model) / (double)at >= RULE_COLLECTED_SHARE * cohort->rate.estimate;
}

bool runtime_only_late(const struct collected *collected)
{
    return collected->asked && collected->late && collected->released > collected->alive;
}

bool runtime_unproven(const struct collected *collected, const struct visit *visit,
                      const struct cohort *cohort)
{
    return may_be_garbage(collected, visit, cohort) || runtime_only_late(collected);
}

uint64_t runtime_no_fall(const struct model *model)
{
    (void)model;
    return 0;
}

void runtime_no_garbage(struct series *series, const struct model *model, struct arena *arena)
{
    (void)series, (void)model, (void)arena;
}

bool runtime_never(const struct visit *visit, uint32_t site)
{
    (void)visit, (void)site;
    return false;
}

bool runtime_always_stayed(const struct visit *visit, const struct standstill *still)
{
    (void)visit, (void)still;
    return true;
}

bool runtime_not_own(const struct finding *finding)
{
    (void)finding;
    return false;
}

struct fact runtime_not_full(const struct visit *visit, const struct process_report *report)
{
    (void)visit, (void)report;
    return FACT_OF(none, 0);
}

void runtime_no_notes(struct visit *visit)
{
    (void)visit;
}
