/* framework_stores.c - see framework_stores.h. */
#include "doctor/judge/framework_stores.h"

#include <string.h>

#include "doctor/judge/compiled.h"
#include "doctor/detect/traces.h"
#include "doctor/facts/runtimes.h"

/* ---- what keeps growing ---- */

static uint64_t late_tick(const struct series *series)
{
    return series->ticks - series->ticks / RULE_KEPT_LATE;
}

static bool registry_grows(const struct series *series, const struct registry_record *registry)
{
    return registry->count >= registry->first_count + RULE_KEPT_LEAST &&
           registry->rises >= RULE_KEPT_LEAST &&
           series_tick(series, registry->changed) >= late_tick(series);
}

static const struct model_registry *growing_registry(const struct visit *visit, enum known_text store)
{
    for (size_t i = 0; i < visit->model->registry_count; i++) {
        const struct model_registry *registry = &visit->model->registries[i];

        if (registry->store == store && registry_grows(&visit->series, &registry->record))
            return registry;
    }
    return NULL;
}

/* ---- which finding it explains ---- */

/* A path that begins at a variable of the program; a library's own, or words of memory, say less. */
static bool program_holds(const struct finding *finding)
{
    const struct holder_step *root = finding->holder_path;

    return finding->holder_count > 0 && root->file[0] && !runtimes_python(root->file);
}

/* Does the program itself keep one more with each of these? A variable that is assigned again at
 * each turn keeps at most one, wherever words of native memory may lead from there. */
static bool program_keeps(const struct visit *visit, const struct finding *finding,
                          const struct model_registry *store)
{
    const uint64_t rises = store->record.rises < visit->series.ticks ? store->record.rises
                                                                     : visit->series.ticks;
    const size_t growing = finding->holder_growing;

    if (finding->holder_count == 0)
        return finding->stored_at != NULL;
    return program_holds(finding) && growing < finding->holder_count &&
           finding->holder_path[growing].length * RULE_KEPT_SHARE >= rises;
}

/* ---- telling ---- */

/* The holder is known although there was no search for it. */
static void become_cache(struct finding *out, struct fact holder, enum keeper keeper)
{
    fact_drop(out, FACT_not_searched);
    out->kind = KIND_unbounded_cache;
    out->held_by = NULL;
    out->holder = holder;
    out->unsearched_why = 0;
    out->holder_count = 0;
    out->stored_at = NULL;
    out->keeper = keeper;
}

/* JAX does not say how many versions there are: by that it is known. */
static bool is_jax(const struct model_trace *trace)
{
    return trace->live == 0;
}

static enum remedy_name remedy_for(const struct model_trace *trace)
{
    switch (trace->change) {
    case CHANGE_VALUE:
        return is_jax(trace) ? REMEDY_trace_static : REMEDY_trace_value;
    case CHANGE_SHAPE:
    case CHANGE_TYPE:
        return is_jax(trace) ? REMEDY_trace_pad : REMEDY_trace_shape;
    case CHANGE_FUNCTION:
        return REMEDY_trace_function;
    }
    return REMEDY_trace_object;
}

static void explain_by_trace(struct finding *out, const struct visit *visit,
                             const struct model_trace *trace)
{
    const uint64_t versions = trace->live ? trace->live : trace->count;
    const uint64_t last = series_tick(&visit->series, trace->last), ticks = visit->series.ticks;

    become_cache(out, (struct fact){.id = FACT_by_versions, .n = {versions}, .trace = trace}, KEEPER_cache);
    advise(out, remedy_for(trace));
    fact_add(out, (struct fact){.id = FACT_compiled_again, .n = {last < ticks ? last : ticks},
                                .trace = trace});
}

static void explain_by_registry(struct finding *out, const struct model_registry *registry,
                                enum remedy_name advice)
{
    const struct registry_record *record = &registry->record;

    become_cache(out,
                 (struct fact){.id = FACT_by_store,
                               .n = {record->count, record->first_count},
                               .text = registry->name},
                 advice == REMEDY_kernel_cache ? KEEPER_cache : KEEPER_registry);
    advise(out, advice);
    fact_add(out, (struct fact){.id = FACT_store_gained,
                                .n = {record->count - record->first_count},
                                .text = registry->name});
}

static bool may_be_explained(const struct finding *finding)
{
    return finding->kind == KIND_retained || finding->kind == KIND_native ||
           (finding->kind == KIND_unbounded_cache && !program_holds(finding));
}

/* ---- what every TensorFlow program gains ---- */

/* Blocks that a library's own code makes, below Python or in it. */
static bool made_by_library(const struct model *model, uint32_t site)
{
    const struct model_frame *frame = site > 0 ? model_site_frame(model, site - 1) : NULL;

    return frame && frame->kind == FRAME_PYTHON && frame->unit > 0 &&
           frame->unit <= model->code_count && runtimes_python(model->code[frame->unit - 1].file);
}

static const struct model_registry *tensors_of(const struct model *model)
{
    for (size_t i = 0; i < model->registry_count; i++)
        if (model->registries[i].store == KNOWN_store_tensors)
            return &model->registries[i];
    return NULL;
}

/* A loop's turns are not all seen, so that a tick may stand for several: there the size of what is kept
 * tells. */
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
    return finding->stored_at && (finding->holder_count == 0 || program_holds(finding));
}

/* One for every other step and more, up to the end: whoever held them may have let go since. */
static bool gathered(const struct series *series, const struct registry_record *registry)
{
    return registry->most >= registry->first_count + series->ticks / 2 &&
           registry->rises >= series->ticks / 2;
}

/* Scalars met, iterators made: TensorFlow keeps less than a kilobyte of each. Tensors that the program
 * keeps are counted one by one, and are not among them. */
static void explain_small(struct visit *visit)
{
    const struct model_registry *tensors = tensors_of(visit->model);

    if (!tensors || registry_grows(&visit->series, &tensors->record) ||
        gathered(&visit->series, &tensors->record) || visit->clock.id == CLOCK_time)
        return;
    for (size_t i = 0; i < visit->finding_count; i++) {
        struct finding *finding = &visit->findings[i];

        if (!may_be_explained(finding) || finding->keeper || program_stores(finding) ||
            !is_small(visit, finding) || !made_by_library(visit->model, finding->site))
            continue;
        demote(finding, DEMOTED_framework_records);
        fact_add(finding, FACT_OF(tensors_counted, tensors->record.count, tensors->record.most));
    }
}

/* A store of a framework gains with every other tick, a library's own blocks stay, and nothing of the
 * program holds them: weights and slots that a graph in the gradient registry uses are made before it is,
 * at lines where nothing is compiled. */
static bool kept_with(const struct visit *visit, const struct finding *finding,
                      const struct model_registry *store)
{
    return store && !program_keeps(visit, finding, store) &&
           store->record.rises * 2 >= visit->series.ticks &&
           made_by_library(visit->model, finding->site);
}

/* A data set that fit() was given stays with the function that reads it: one of each per training. */
static bool kept_by_functions(const struct visit *visit, const struct finding *finding,
                              const struct model_registry *functions)
{
    return functions && !program_keeps(visit, finding, functions) &&
           finding->live_blocks <= 2 * functions->record.rises &&
           finding->live_blocks * 2 >= functions->record.rises;
}

/* Stores that grow; NULL: it does not. */
struct stores {
    const struct model_registry *gradients, *functions, *kernels;
};

static void explain_by_store(struct finding *finding, const struct visit *visit,
                             const struct stores *stores)
{
    if (kept_with(visit, finding, stores->gradients))
        explain_by_registry(finding, stores->gradients, REMEDY_gradient_registry);
    else if (kept_by_functions(visit, finding, stores->functions))
        explain_by_registry(finding, stores->functions, REMEDY_default_graph);
    else if (kept_with(visit, finding, stores->kernels))
        explain_by_registry(finding, stores->kernels, REMEDY_kernel_cache);
}

/* The function whose compilation made what the finding is about; NULL: none did. */
static const struct model_trace *explain(struct finding *finding, const struct visit *visit,
                                         const struct stores *stores)
{
    const struct model_trace *trace =
        traces_of(visit, finding->allocated_at, finding->allocated_count);

    if (!trace) {
        explain_by_store(finding, visit, stores);
        return NULL;
    }
    /* Functions that the program makes and stores by itself are its own. */
    if ((finding->stored_at || program_holds(finding)) && trace->change == CHANGE_FUNCTION &&
        !stores->gradients)
        return trace;
    if (stores->gradients && trace->change != CHANGE_VALUE && trace->change != CHANGE_SHAPE)
        explain_by_registry(finding, stores->gradients, REMEDY_gradient_registry);
    else if (stores->functions && !traces_kept(trace))
        explain_by_registry(finding, stores->functions, REMEDY_default_graph);
    else if (traces_kept(trace) || is_jax(trace))
        explain_by_trace(finding, visit, trace);
    else
        return NULL;
    return trace;
}

/* JAX keeps about 2 KB of every compilation, also of functions that are gone. */
static void note_compilations(struct finding *finding, const struct visit *visit,
                              const struct model_trace *trace)
{
    if (!is_jax(trace) || visit->growth.estimate >= RULE_KEPT_COMPILED)
        return;
    demote(finding, DEMOTED_compilations);
    fact_add(finding, (struct fact){.id = FACT_compiled_here, .trace = trace});
}

void framework_stores_explain(struct visit *visit)
{
    const struct stores stores = {.gradients = growing_registry(visit, KNOWN_store_gradients),
                                  .functions = growing_registry(visit, KNOWN_store_functions),
                                  .kernels = growing_registry(visit, KNOWN_store_kernels)};
    const struct model_trace *traces[VISIT_FINDINGS_MAX] = {NULL};

    for (size_t i = 0; i < visit->finding_count; i++)
        if (may_be_explained(&visit->findings[i])) {
            traces[i] = explain(&visit->findings[i], visit, &stores);
            if (traces[i])
                note_compilations(&visit->findings[i], visit, traces[i]);
        }
    compiled_join(visit, traces);
    explain_small(visit);
}
