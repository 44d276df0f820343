/* explain_compiled.c - a framework compiles a function again and again and keeps every version. */
#include "doctor/judge/explain.h"

#include "doctor/detect/traces.h"
#include "doctor/judge/framework_stores.h"
#include "ledger/model.h"

/* Only JAX does not count its live versions. */
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

static void blame_versions(struct finding *finding, const struct visit *visit,
                           const struct model_trace *trace)
{
    const uint64_t versions = trace->live ? trace->live : trace->count;
    const uint64_t last = series_tick(&visit->series, trace->last), ticks = visit->series.ticks;

    stores_blame(finding, (struct fact){.id = FACT_by_versions, .n = {versions}, .trace = trace},
                 KEEPER_cache);
    advise(finding, remedy_for(trace));
    fact_add(finding, (struct fact){.id = FACT_compiled_again, .n = {last < ticks ? last : ticks},
                                    .trace = trace});
}

/* Makes what keeps the versions the holder of the finding. Returns false if nothing keeps the versions:
 * then compiling is not why memory grows. */
static bool blame(struct finding *finding, const struct visit *visit, const struct model_trace *trace)
{
    const struct model_registry *gradients = stores_growing(visit, KNOWN_store_gradients);
    const struct model_registry *functions = stores_growing(visit, KNOWN_store_functions);

    /* The program creates these functions and stores them itself, so the finding already has the holder. */
    if ((finding->stored_at || stores_program_holds(finding)) && trace->change == CHANGE_FUNCTION &&
        !gradients)
        return true;
    if (gradients && trace->change != CHANGE_VALUE && trace->change != CHANGE_SHAPE)
        stores_blame_registry(finding, gradients, REMEDY_gradient_registry);
    else if (functions && !traces_kept(trace))
        stores_blame_registry(finding, functions, REMEDY_default_graph);
    else if (traces_kept(trace) || is_jax(trace))
        blame_versions(finding, visit, trace);
    else
        return false;
    return true;
}

bool explain_compiled(struct finding *finding, struct visit *visit)
{
    const struct model_trace *trace =
        stores_may_explain(finding) ? traces_of(visit, finding->allocated_at, finding->allocated_count)
                                    : NULL;

    if (!trace || !blame(finding, visit, trace))
        return false;
    finding->compiles = trace;
    if (is_jax(trace) && visit->growth.estimate < RULE_KEPT_COMPILED) {
        /* JAX keeps about 2 KB of every compilation, also of functions that are gone. */
        demote(finding, DEMOTED_compilations);
        fact_add(finding, (struct fact){.id = FACT_compiled_here, .trace = trace});
    }
    return true;
}
