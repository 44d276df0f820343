/* traces.c - see traces.h. */
#include "doctor/detect/traces.h"

#include <string.h>

#include "ledger/model.h"

static uint64_t late_tick(const struct series *series)
{
    return series->ticks - series->ticks / RULE_KEPT_LATE;
}

/* Compilations continue to the end, at no less than a third of their mean pace. */
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

bool traces_kept(const struct model_trace *trace)
{
    return trace->live * 2 >= trace->count;
}

const struct model_trace *traces_of(const struct visit *visit, const struct place *places,
                                          size_t count)
{
    const struct model_trace *best = NULL;

    for (size_t i = 0; i < visit->model->trace_count; i++) {
        const struct model_trace *trace = &visit->model->traces[i];

        if (!passes(places, count, trace) || !trace_grows(&visit->series, trace))
            continue;
        if (!best || traces_kept(trace) > traces_kept(best) ||
            (traces_kept(trace) == traces_kept(best) && trace->count > best->count))
            best = trace;
    }
    return best;
}

bool traces_compile(const struct visit *visit, const struct place *places, size_t count)
{
    return traces_of(visit, places, count) != NULL;
}
