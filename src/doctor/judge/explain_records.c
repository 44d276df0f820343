/* explain_records.c - what every TensorFlow program gains: less than a kilobyte for each scalar that it met
 * and each iterator that it made. Tensors that the program keeps are counted one by one, and are not among
 * them. */
#include "doctor/judge/explain.h"

#include "doctor/judge/framework_stores.h"
#include "ledger/model.h"

static const struct model_registry *tensors_of(const struct model *model)
{
    for (size_t i = 0; i < model->registry_count; i++)
        if (model->registries[i].store == KNOWN_store_tensors)
            return &model->registries[i];
    return NULL;
}

/* A loop's turns are not all seen, so that a tick may stand for several: there the size of what is kept
 * decides. */
static bool is_small(const struct visit *visit, const struct finding *finding)
{
    return visit->growth.estimate < RULE_KEPT_SMALL ||
           (visit->clock.id == CLOCK_loop &&
            finding->live_bytes < RULE_KEPT_SMALL * finding->live_blocks);
}

/* A statement of the program stores it. What only a library holds is reported at the line of the
 * call. */
static bool program_stores(const struct finding *finding)
{
    return finding->stored_at && (finding->holder_count == 0 || stores_program_holds(finding));
}

/* One tensor for every other step and more, up to the end: whoever held them may have let go since. */
static bool gathered(const struct series *series, const struct registry_record *registry)
{
    return registry->most >= registry->first_count + series->ticks / 2 &&
           registry->rises >= series->ticks / 2;
}

bool explain_framework_records(struct finding *finding, struct visit *visit)
{
    const struct model_registry *tensors = tensors_of(visit->model);

    if (!tensors || stores_grows(&visit->series, &tensors->record) ||
        gathered(&visit->series, &tensors->record) || visit->clock.id == CLOCK_time)
        return false;
    if (!stores_may_explain(finding) || finding->keeper || program_stores(finding) ||
        !is_small(visit, finding) || !stores_made_by_library(visit->model, finding->site))
        return false;
    demote(finding, DEMOTED_framework_records);
    fact_add(finding, FACT_OF(tensors_counted, tensors->record.count, tensors->record.most));
    return true;
}
