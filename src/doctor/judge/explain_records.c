/* explain_records.c - records of TensorFlow: it keeps less than a kilobyte for each new scalar and each
 * iterator, in every program. Tensors are counted one by one. If their number grows, this file explains
 * nothing. */
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

/* The growth is small per tick. Not every turn of a loop is counted, so one tick may stand for several
 * turns; then the average size of the kept blocks decides. */
static bool is_small(const struct visit *visit, const struct finding *finding)
{
    return visit->growth.estimate < RULE_KEPT_SMALL ||
           (visit->clock.id == CLOCK_loop &&
            finding->live_bytes < RULE_KEPT_SMALL * finding->live_blocks);
}

/* A statement of the program stores the memory, and a variable of the program holds it. If only a library
 * holds it, the store line is just the line of the call. */
static bool program_stores(const struct finding *finding)
{
    return finding->stored_at && (finding->holder_count == 0 || stores_program_holds(finding));
}

/* The number of tensors once rose by one per two steps or more. The program may have released them by now. */
static bool tensors_piled_up(const struct series *series, const struct registry_record *registry)
{
    return registry->most >= registry->first_count + series->ticks / 2 &&
           registry->rises >= series->ticks / 2;
}

bool explain_framework_records(struct finding *finding, struct visit *visit)
{
    const struct model_registry *tensors = tensors_of(visit->model);

    if (!tensors || stores_grows(&visit->series, &tensors->record) ||
        tensors_piled_up(&visit->series, &tensors->record) || visit->clock.id == CLOCK_time)
        return false;
    if (!stores_may_explain(finding) || finding->keeper || program_stores(finding) ||
        !is_small(visit, finding) || !stores_made_by_library(visit->model, finding->site))
        return false;
    demote(finding, DEMOTED_framework_records);
    fact_add(finding, FACT_OF(tensors_counted, tensors->record.count, tensors->record.most));
    return true;
}
