/* model_since.c - change a model as if the process had been watched from a later moment on.
 *
 * Ordinals are counted from there: everything older counts as there before the first step, like
 * what a program loads at its start. Totals over the whole life of a site stay.
 */
#include "base/invariant.h"
#include "ledger/model.h"

/* Ordinals begin with 1. */
static uint64_t later(uint64_t ordinal, uint64_t since)
{
    return ordinal > since ? ordinal - since : 1;
}

static void shift_steps(struct model *m, size_t dropped, uint64_t since)
{
    const struct step_record base = m->steps[dropped - 1];
    const size_t left = m->step_count - dropped;

    for (size_t i = 0; i < left; i++) {
        struct step_record *step = &m->steps[i];

        *step = m->steps[i + dropped];
        step->first = later(step->first, since);
        step->last = later(step->last, since);
        for (unsigned c = 0; c < LEDGER_CLOCKS; c++)
            step->clock[c] -= step->clock[c] < base.clock[c] ? step->clock[c] : base.clock[c];
    }
    m->step_count = left;
    for (unsigned c = 0; c < LEDGER_CLOCKS; c++)
        m->totals.clock[c] -=
            m->totals.clock[c] < base.clock[c] ? m->totals.clock[c] : base.clock[c];
}

/* A site may have had births before; their steps are unknown now. */
static void shift_lives(struct model *m, uint64_t since)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->site_count; i++) {
        m->sites[i].first = later(m->sites[i].first, since);
        m->sites[i].last = later(m->sites[i].last, since);
    }
    for (size_t i = 0; i < m->block_count; i++)
        m->blocks[i].birth = later(m->blocks[i].birth, since);
    for (size_t i = 0; i < m->map_count; i++)
        m->maps[i].birth = later(m->maps[i].birth, since);
    for (size_t i = 0; i < m->death_count; i++) {
        struct death_record death = m->deaths[i];

        if (death.death <= since)
            continue;
        death.birth = later(death.birth, since);
        death.death = later(death.death, since);
        m->deaths[kept++] = death;
    }
    m->deaths_seen -= m->death_count - kept;
    m->death_count = kept;
}

static void shift_rest(struct model *m, uint64_t since)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->intervention_count; i++)
        if (m->interventions[i].ordinal > since) {
            m->interventions[kept] = m->interventions[i];
            m->interventions[kept++].ordinal -= since;
        }
    m->intervention_count = kept;
    for (size_t i = 0; i < m->holder_count; i++)
        m->holders[i].ordinal = later(m->holders[i].ordinal, since);
    for (size_t i = 0; i < m->resident_count; i++)
        m->residents[i].ordinal = later(m->residents[i].ordinal, since);
    for (size_t i = 0; i < m->trace_count; i++) {
        m->traces[i].first = later(m->traces[i].first, since);
        m->traces[i].last = later(m->traces[i].last, since);
        for (size_t n = 0; n < m->traces[i].recent_count; n++)
            m->traces[i].recent[n] = later(m->traces[i].recent[n], since);
    }
    for (size_t i = 0; i < m->registry_count; i++) {
        struct registry_record *record = &m->registries[i].record;

        record->first = later(record->first, since);
        record->last = later(record->last, since);
        record->changed = later(record->changed, since);
    }
    for (size_t i = 0; i < m->note_count; i++)
        m->notes[i].ordinal = later(m->notes[i].ordinal, since);
    for (unsigned c = 0; c < LEDGER_CLASSES; c++)
        if (m->totals.watched_since[c])
            m->totals.watched_since[c] = later(m->totals.watched_since[c], since);
    m->totals.ordinal = later(m->totals.ordinal, since);
    m->peak.ordinal = later(m->peak.ordinal, since);
}

void model_since(struct model *m, uint64_t time)
{
    size_t dropped = 0;
    uint64_t since;

    if (m->head.start_mono < time)
        m->head.start_mono = time;
    while (dropped < m->step_count && m->steps[dropped].time <= time)
        dropped++;
    if (dropped == 0)
        return;
    since = m->steps[dropped - 1].last;
    shift_steps(m, dropped, since);
    shift_lives(m, since);
    shift_rest(m, since);
    INVARIANT(model_is_valid(m));
}
