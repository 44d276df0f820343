/* framework_stores.c - see framework_stores.h. The explainers of three stores are at the end. */
#include "doctor/judge/framework_stores.h"

#include "doctor/detect/traces.h"
#include "doctor/facts/runtimes.h"
#include "doctor/judge/explain.h"
#include "ledger/model.h"

/* ---- what keeps growing ---- */

static uint64_t late_tick(const struct series *series)
{
    return series->ticks - series->ticks / RULE_KEPT_LATE;
}

bool stores_grows(const struct series *series, const struct registry_record *registry)
{
    return registry->count >= registry->first_count + RULE_KEPT_LEAST &&
           registry->rises >= RULE_KEPT_LEAST &&
           series_tick(series, registry->changed) >= late_tick(series);
}

const struct model_registry *stores_growing(const struct visit *visit, enum known_text store)
{
    for (size_t i = 0; i < visit->model->registry_count; i++) {
        const struct model_registry *registry = &visit->model->registries[i];

        if (registry->store == store && stores_grows(&visit->series, &registry->record))
            return registry;
    }
    return NULL;
}

/* ---- which finding it explains ---- */

bool stores_program_holds(const struct finding *finding)
{
    const struct holder_step *root = finding->holder_path;

    return finding->holder_count > 0 && root->file[0] && !runtimes_python(root->file);
}

bool stores_may_explain(const struct finding *finding)
{
    return finding->kind == KIND_retained || finding->kind == KIND_native ||
           (finding->kind == KIND_unbounded_cache && !stores_program_holds(finding));
}

bool stores_made_by_library(const struct model *model, uint32_t site)
{
    const struct model_frame *frame = site > 0 ? model_site_frame(model, site - 1) : NULL;

    return frame && frame->kind == FRAME_PYTHON && frame->unit > 0 &&
           frame->unit <= model->code_count && runtimes_python(model->code[frame->unit - 1].file);
}

/* ---- the holder ---- */

void stores_blame(struct finding *finding, struct fact holder, enum keeper keeper)
{
    fact_drop(finding, FACT_not_searched);
    finding->kind = KIND_unbounded_cache;
    finding->held_by = NULL;
    finding->holder = holder;
    finding->unsearched_why = 0;
    finding->holder_count = 0;
    finding->stored_at = NULL;
    finding->keeper = keeper;
}

void stores_blame_registry(struct finding *finding, const struct model_registry *registry,
                           enum remedy_name advice)
{
    const struct registry_record *record = &registry->record;

    stores_blame(finding,
                 (struct fact){.id = FACT_by_store,
                               .n = {record->count, record->first_count},
                               .text = registry->name},
                 advice == REMEDY_kernel_cache ? KEEPER_cache : KEEPER_registry);
    advise(finding, advice);
    fact_add(finding, (struct fact){.id = FACT_store_gained,
                                    .n = {record->count - record->first_count},
                                    .text = registry->name});
}

/* ---- the explainers of three stores ---- */

/* The program itself keeps one more block whenever the store gains an entry. If its container is shorter
 * than that, it does not: a variable that is assigned again at each turn keeps one block at most. */
static bool program_keeps(const struct visit *visit, const struct finding *finding,
                          const struct model_registry *store)
{
    const uint64_t rises = store->record.rises < visit->series.ticks ? store->record.rises
                                                                     : visit->series.ticks;
    const size_t growing = finding->holder_growing;

    if (finding->holder_count == 0)
        return finding->stored_at != NULL;
    return stores_program_holds(finding) && growing < finding->holder_count &&
           finding->holder_path[growing].length * RULE_KEPT_SHARE >= rises;
}

/* The growing store, if it may explain the finding; else NULL. It does not if the blocks are allocated where
 * something is compiled, or if the program keeps them itself. */
static const struct model_registry *store_for(const struct finding *finding, const struct visit *visit,
                                              enum known_text store)
{
    const struct model_registry *growing =
        stores_may_explain(finding) ? stores_growing(visit, store) : NULL;

    if (!growing || traces_of(visit, finding->allocated_at, finding->allocated_count) ||
        program_keeps(visit, finding, growing))
        return NULL;
    return growing;
}

/* The store gains an entry in at least every second tick, and the blocks are allocated by a library. An
 * entry of the gradient registry also keeps the weights that its graph uses; they are allocated earlier, at
 * lines where nothing is compiled. */
static bool grows_with(const struct visit *visit, const struct finding *finding,
                       const struct model_registry *store)
{
    return store->record.rises * 2 >= visit->series.ticks &&
           stores_made_by_library(visit->model, finding->site);
}

static bool explain_by(struct finding *finding, struct visit *visit, enum known_text store,
                       enum remedy_name advice)
{
    const struct model_registry *growing = store_for(finding, visit, store);

    if (!growing || !grows_with(visit, finding, growing))
        return false;
    stores_blame_registry(finding, growing, advice);
    return true;
}

bool explain_gradient_registry(struct finding *finding, struct visit *visit)
{
    return explain_by(finding, visit, KNOWN_store_gradients, REMEDY_gradient_registry);
}

bool explain_kernel_cache(struct finding *finding, struct visit *visit)
{
    return explain_by(finding, visit, KNOWN_store_kernels, REMEDY_kernel_cache);
}

/* The list of functions keeps the data set of each call of fit(): one block for each new function, give or
 * take a factor of two. */
bool explain_default_graph(struct finding *finding, struct visit *visit)
{
    const struct model_registry *functions = store_for(finding, visit, KNOWN_store_functions);

    if (!functions || finding->live_blocks > 2 * functions->record.rises ||
        finding->live_blocks * 2 < functions->record.rises)
        return false;
    stores_blame_registry(finding, functions, REMEDY_default_graph);
    return true;
}
