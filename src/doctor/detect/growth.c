/* growth.c - see growth.h. */
#include "doctor/detect/growth.h"

#include "base/text.h"

#include "doctor/detect/resident.h"
#include "ledger/site_kind.h"

/* No block of the site existed when the collection came. */
static bool examined_none(const struct collected *collected)
{
    return collected->released + collected->alive == 0;
}

/* The last tick up to which the blocks were followed; 0: to the end. Small objects are followed
 * for a part of the run only. */
static uint64_t followed_until(const struct visit *visit, const struct facts_of_growth *growth)
{
    return growth->until < visit->series.ticks ? growth->until : 0;
}

static struct fact headline(const struct finding *out, const struct visit *visit,
                            const struct facts_of_growth *growth)
{
    const uint64_t until = followed_until(visit, growth);

    if (out->kind == KIND_gc_lag)
        return FACT_OF(waits, 0);
    if (out->kind == KIND_undecided && growth->collected.turnless)
        return FACT_OF(may_grow_turnless, 0);
    if (out->kind == KIND_undecided && growth->collected.asked && !growth->collected.script)
        return examined_none(&growth->collected) ? FACT_OF(may_grow_unmet, 0)
                                            : FACT_OF(may_grow_collected_late, 0);
    if (out->kind == KIND_undecided)
        return FACT_OF(may_grow_uncollected, 0);
    return out->evicted_nothing ? FACT_OF(grows, growth->released, until ? until - growth->first + 1 : 0)
                                : FACT_OF(leaks, 0);
}

static struct fact survived(const struct finding *out, const struct visit *visit,
                            const struct facts_of_growth *growth)
{
    return FACT_OF(survived, growth->alive, growth->released, growth->first, growth->last, growth->certain,
                   out->left     ? UNIT_SHARED
                   : growth->map ? UNIT_MAPPINGS
                                 : UNIT_BLOCKS,
                   followed_until(visit, growth));
}

/* The latest trim, if it released nothing. */
static struct fact vain_trim(const struct model *model)
{
    const struct intervention_record *last = NULL;

    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_TRIM)
            last = &model->interventions[i];
    if (last && last->live_after + RULE_FINDING_RATE >= last->live_before)
        return FACT_OF(vain_trim, last->live_after);
    return FACT_OF(none, 0);
}

struct fact growth_collected(const struct finding *out, const struct visit *visit,
                             const struct collected *collected)
{
    const bool tensors = out->site && site_is_tensor(visit->model->sites[out->site - 1].kind);

    return FACT_OF(collected, collected->alive, collected->released, tensors, collected->late,
                   collected->own);
}

void growth_cycle(struct finding *out, const struct visit *visit)
{
    const char *cycle =
        out->site ? reach_cycle(out, visit->model, out->site - 1, visit->arena) : NULL;

    if (cycle)
        fact_add(out, (struct fact){.id = FACT_cycle, .text = cycle});
}

static void add_reach(struct finding *out, enum reach reach)
{
    if (reach == REACH_LOST)
        fact_add(out, FACT_OF(lost, 0));
    else if (reach == REACH_UNKNOWN)
        fact_add(out, FACT_OF(not_searched, 0));
}

void growth_facts(struct finding *out, const struct visit *visit, const struct facts_of_growth *growth)
{
    const struct collected *collected = &growth->collected;

    out->headline = headline(out, visit, growth);
    fact_add(out, survived(out, visit, growth));
    if (out->left) {
        fact_add(out, FACT_OF(name_left, 0));
        return;
    }
    if (out->memory == MEMORY_HOST) {
        fact_add(out, vain_trim(visit->model));
        fact_add(out, resident_fact(visit));
    }
    if (collected->turnless && collected->went)
        fact_add(out, FACT_OF(no_turn, 0));
    if (collected->asked && !examined_none(collected))
        fact_add(out, growth_collected(out, visit, collected));
    if (out->endless)
        fact_add(out, FACT_OF(collector_off, 0));
    if (out->kind != KIND_gc_lag && out->kind != KIND_undecided)
        add_reach(out, growth->reach);
    if (out->kind == KIND_gc_lag)
        growth_cycle(out, visit);
}
