/* explain_path.c - explanations from the holder's path: a declared limit, a keyed store without a limit;
 * and memory that the runtime allocates for tare. */
#include "doctor/judge/explain.h"

#include "base/text.h"
#include "doctor/held/owners.h"
#include "doctor/held/reach.h"
#include "ledger/model.h"

static bool has_path(const struct finding *finding)
{
    return finding->kind == KIND_retained && finding->holder_count > 0;
}

/* The bytes of the container when a search read its length: the live bytes of today, less what grew since
 * then. */
static double bytes_at_search(const struct finding *finding, const struct visit *visit)
{
    const struct holder_record *record =
        finding->site > 0 ? reach_record(visit->model, finding->site - 1) : NULL;
    const uint64_t tick = record && record->ordinal > 0 ? series_tick(&visit->series, record->ordinal)
                                                        : visit->series.ticks;
    const uint64_t since = tick < visit->series.ticks ? visit->series.ticks - tick : 0;
    const double then = (double)finding->live_bytes -
                        finding->rate.estimate / clock_scale(&visit->clock) * (double)since;

    return then > 0 ? then : (double)finding->live_bytes;
}

bool explain_declared_bound(struct finding *finding, struct visit *visit)
{
    const struct holder_step *step;
    double each;

    if (!has_path(finding) ||
        !owners_bounded(finding->holder_path, finding->holder_count, finding->holder_growing))
        return false;
    step = &finding->holder_path[finding->holder_growing];
    each = bytes_at_search(finding, visit) / (double)step->length;
    finding->kind = KIND_plateau;
    finding->evicted_nothing = false;
    finding->headline = FACT_OF(will_stop, step->bound, (uint64_t)(each * (double)step->bound),
                                text_has(step->type, "deque"));
    fact_add(finding, FACT_OF(bound_declared, step->bound, step->length, finding->live_bytes));
    advise(finding, REMEDY_none);
    visit_discount(visit, finding);
    return true;
}

/* How often the cache hit, or its number of entries if it does not count hits. */
static struct fact cache_use(const struct holder_step *step)
{
    const uint64_t calls = step->hits + step->misses;

    return calls > 0 ? FACT_OF(cache_hits, step->hits, calls) : FACT_OF(keyed_store, step->length);
}

bool explain_keyed_store(struct finding *finding, struct visit *visit)
{
    (void)visit;
    if (!has_path(finding) ||
        !owners_unbounded_cache(finding->holder_path, finding->holder_count, finding->holder_growing))
        return false;
    finding->kind = KIND_unbounded_cache;
    fact_add(finding, cache_use(&finding->holder_path[finding->holder_growing]));
    return true;
}

bool explain_own(struct finding *finding, struct visit *visit)
{
    if (!visit->runtime->own(finding))
        return false;
    demote(finding, DEMOTED_own);
    visit_discount(visit, finding);
    return true;
}
