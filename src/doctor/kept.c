/* kept.c - see kept.h. */
#include "doctor/kept.h"

#include <string.h>

#include "base/text.h"
#include "doctor/compiled.h"
#include "doctor/evidence.h"
#include "doctor/remedies.h"
#include "doctor/runtimes.h"

/* What the adapters call the stores that hold more than their own entries. */
#define GRADIENTS "TensorFlow's gradient registry"
#define FUNCTIONS "functions of the default graph"
#define KERNELS "TensorFlow's cache of kernels"
#define TENSORS "EagerTensor"

/* ---- what keeps growing ---- */

static uint64_t late_tick(const struct series *series)
{
    return series->ticks - series->ticks / RULE_KEPT_LATE;
}

/* Compilations that go on to the end, at no less than a third of their mean pace. */
static bool trace_grows(const struct series *series, const struct model_trace *trace)
{
    uint64_t first, recent, ticks;

    if (trace->count < RULE_KEPT_LEAST || trace->recent_count < LEDGER_RECENT ||
        series_tick(series, trace->last) < late_tick(series))
        return false;
    first = series_tick(series, trace->first);
    recent = series_tick(series, trace->recent[0]);
    ticks = series->ticks + 1 - (first < series->ticks ? first : series->ticks);
    return (series->ticks + 1 - recent) * trace->count <= 3 * ticks * LEDGER_RECENT;
}

static bool registry_grows(const struct series *series, const struct registry_record *registry)
{
    return registry->count >= registry->first_count + RULE_KEPT_LEAST &&
           registry->rises >= RULE_KEPT_LEAST &&
           series_tick(series, registry->changed) >= late_tick(series);
}

static const struct model_registry *growing_registry(const struct visit *visit, const char *name)
{
    for (size_t i = 0; i < visit->model->registry_count; i++) {
        const struct model_registry *registry = &visit->model->registries[i];

        if (strcmp(registry->name, name) == 0 && registry_grows(&visit->series, &registry->record))
            return registry;
    }
    return NULL;
}

/* ---- which finding it explains ---- */

static bool passes(const struct place *places, size_t count, const struct model_trace *trace)
{
    for (size_t i = 0; i < count; i++) {
        const struct place *place = &places[i];

        if (place->file && place->line == trace->call_line &&
            strcmp(place->file, trace->call_file) == 0)
            return true;
    }
    return false;
}

static bool is_kept(const struct model_trace *trace)
{
    return trace->live * 2 >= trace->count;
}

/* The growing function that was compiled on the way to these blocks; of several the one whose
 * versions are still there, then the one compiled most. */
static const struct model_trace *trace_of(const struct visit *visit, const struct place *places,
                                          size_t count)
{
    const struct model_trace *best = NULL;

    for (size_t i = 0; i < visit->model->trace_count; i++) {
        const struct model_trace *trace = &visit->model->traces[i];

        if (!passes(places, count, trace) || !trace_grows(&visit->series, trace))
            continue;
        if (!best || is_kept(trace) > is_kept(best) ||
            (is_kept(trace) == is_kept(best) && trace->count > best->count))
            best = trace;
    }
    return best;
}

bool kept_compiles(const struct visit *visit, const struct place *places, size_t count)
{
    return trace_of(visit, places, count) != NULL;
}

/* A path that begins at a variable of the program; a library's own, or words of memory, say less. */
static bool program_holds(const struct finding *finding)
{
    const struct holder_step *root = finding->holder_path;

    return finding->holder_count > 0 && root->file[0] && !runtimes_python(root->file);
}

/* Does the program itself keep one more with each of these? A variable that is bound anew at each turn
 * keeps one at most, wherever words of native memory may lead from there. */
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

static const char *count_text(const struct visit *visit, uint64_t count)
{
    char text[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_count(text, count));
}

/* What was not looked for is known all the same. */
static void become_cache(struct finding *out, const char *holder, enum keeper keeper)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->evidence_count; i++)
        if (strncmp(out->evidence[i], EVIDENCE_NOT_SOUGHT, sizeof(EVIDENCE_NOT_SOUGHT) - 1) != 0)
            out->evidence[kept++] = out->evidence[i];
    out->evidence_count = kept;
    out->kind = KIND_unbounded_cache;
    out->held_by = holder;
    out->unsearched = NULL;
    out->holder_count = 0;
    out->stored_at = NULL;
    out->keeper = keeper;
}

static const char *why_again(const struct visit *visit, const struct model_trace *trace)
{
    switch (trace->change) {
    case CHANGE_VALUE:
        return arena_print(visit->arena, "a Python value that is part of the compiled code changed "
                                         "(%s)",
                           trace->argument);
    case CHANGE_SHAPE:
        return arena_print(visit->arena, "the shape of an argument changed (%s)", trace->argument);
    case CHANGE_TYPE:
        return arena_print(visit->arena, "the type of an argument changed (%s)", trace->argument);
    case CHANGE_OBJECT:
        return arena_print(visit->arena, "an argument was another object (%s)", trace->argument);
    case CHANGE_FUNCTION:
        return "the function itself was made anew";
    case CHANGE_CONTEXT:
        return "it was called in another context";
    }
    return "its arguments were new";
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

static void tell_trace(struct finding *out, const struct visit *visit,
                       const struct model_trace *trace)
{
    const uint64_t last = series_tick(&visit->series, trace->last);

    evidence_say(out, visit,
                 arena_print(visit->arena,
                             "%s was compiled %s times here, the last time in %s %s: %s.",
                             trace->function, count_text(visit, trace->count),
                             clock_tick_name(visit->clock.name),
                             count_text(visit, last < visit->series.ticks ? last
                                                                          : visit->series.ticks),
                             why_again(visit, trace)));
}

static void explain_by_trace(struct finding *out, const struct visit *visit,
                             const struct model_trace *trace)
{
    const uint64_t versions = trace->live ? trace->live : trace->count;

    become_cache(out, trace->line ? arena_print(visit->arena,
                                                "%s compiled versions of %s (%s:%u)",
                                                count_text(visit, versions), trace->function,
                                                trace->file, trace->line)
                                  : arena_print(visit->arena, "%s compiled versions of %s",
                                                count_text(visit, versions), trace->function),
                 KEEPER_cache);
    out->remedy = remedy_of(remedy_for(trace));
    tell_trace(out, visit, trace);
}

static void explain_by_registry(struct finding *out, const struct visit *visit,
                                const struct model_registry *registry, enum remedy_name remedy)
{
    const struct registry_record *record = &registry->record;

    become_cache(out, arena_print(visit->arena, "%s, by %s entries (%s at first)", registry->name,
                                  count_text(visit, record->count),
                                  count_text(visit, record->first_count)),
                 remedy == REMEDY_kernel_cache ? KEEPER_cache : KEEPER_registry);
    out->remedy = remedy_of(remedy);
    evidence_say(out, visit,
                 arena_print(visit->arena,
                             "%s: %s more entries than at first. Each keeps what it uses.",
                             registry->name,
                             count_text(visit, record->count - record->first_count)));
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
    const uint32_t stack = site > 0 && site <= model->site_count ? model->sites[site - 1].stack : 0;
    const struct model_frame *frame = stack > 0 && stack <= model->frame_count
                                          ? &model->frames[stack - 1]
                                          : NULL;

    return frame && frame->kind == FRAME_PYTHON && frame->unit > 0 &&
           frame->unit <= model->code_count && runtimes_python(model->code[frame->unit - 1].file);
}

static const struct model_registry *tensors_of(const struct model *model)
{
    for (size_t i = 0; i < model->registry_count; i++)
        if (strcmp(model->registries[i].name, TENSORS) == 0)
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

/* Stored by a statement of the program; what a library holds alone is told at the line of its call. */
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
        finding->note = true;
        evidence_say(finding, visit,
                     arena_print(visit->arena,
                                 "The number of tensors does not grow (%s now, %s at most): these "
                                 "are TensorFlow's own records of scalars and iterators.",
                                 count_text(visit, tensors->record.count),
                                 count_text(visit, tensors->record.most)));
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
        explain_by_registry(finding, visit, stores->gradients, REMEDY_gradient_registry);
    else if (kept_by_functions(visit, finding, stores->functions))
        explain_by_registry(finding, visit, stores->functions, REMEDY_default_graph);
    else if (kept_with(visit, finding, stores->kernels))
        explain_by_registry(finding, visit, stores->kernels, REMEDY_kernel_cache);
}

/* The function whose compilation made what the finding is about; NULL: none did. */
static const struct model_trace *explain(struct finding *finding, const struct visit *visit,
                                         const struct stores *stores)
{
    const struct model_trace *trace =
        trace_of(visit, finding->allocated_at, finding->allocated_count);

    if (!trace) {
        explain_by_store(finding, visit, stores);
        return NULL;
    }
    /* Functions that the program makes and stores by itself are its own. */
    if ((finding->stored_at || program_holds(finding)) && trace->change == CHANGE_FUNCTION &&
        !stores->gradients)
        return trace;
    if (stores->gradients && trace->change != CHANGE_VALUE && trace->change != CHANGE_SHAPE)
        explain_by_registry(finding, visit, stores->gradients, REMEDY_gradient_registry);
    else if (stores->functions && !is_kept(trace))
        explain_by_registry(finding, visit, stores->functions, REMEDY_default_graph);
    else if (is_kept(trace) || is_jax(trace))
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
    finding->note = true;
    evidence_say(finding, visit,
                 arena_print(visit->arena,
                             "%s was compiled %s times here: this is no more than what JAX keeps of "
                             "every compilation for itself.",
                             trace->function, count_text(visit, trace->count)));
}

void kept_explain(struct visit *visit)
{
    const struct stores stores = {.gradients = growing_registry(visit, GRADIENTS),
                                  .functions = growing_registry(visit, FUNCTIONS),
                                  .kernels = growing_registry(visit, KERNELS)};
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
