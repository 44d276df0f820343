/* survival.c - see survival.h. */
#include "doctor/survival.h"

void survival_fill(struct finding *out, struct visit *visit, const struct cohort *main)
{
    struct survival *table = arena_take(visit->arena, RULE_SEGMENTS, sizeof(*table));
    const struct lives *lives = visit_lives(visit, main->column);
    const uint64_t n = visit->series.ticks;

    if (!table)
        return;
    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        table[i].first = n * i / RULE_SEGMENTS + 1;
        table[i].last = n * (i + 1) / RULE_SEGMENTS;
    }
    for (size_t i = 0; i < lives->count; i++) {
        const struct life *life = &lives->items[i];
        uint64_t part;

        if ((life->site != main->site && !main->pooled) || life->birth == 0 || life->birth > n)
            continue;
        for (part = 0; table[part].last < life->birth;)
            part++;
        table[part].born++;
        table[part].alive += !life->death;
    }
    out->survival = table;
    out->survival_count = RULE_SEGMENTS;
}
