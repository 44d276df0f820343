/* keeping.c - see keeping.h. */
#include "doctor/judge/keeping.h"

#include <math.h>

#include "doctor/detect/resident.h"

#define MODELS_LEAST 8

static const struct keeping lines[] = {
#define KEEPER(number, name, what, unbounded, returned)                                            \
    {KEEPER_##name, #name, what, 0, unbounded, returned, 0, NULL},
#include "doctor/facts/keepers.def"
#undef KEEPER
};

#define LINES (sizeof(lines) / sizeof(lines[0]))

static enum keeper keeper_of(const struct finding *finding)
{
    if (finding->keeper)
        return finding->keeper;
    switch (finding->kind) {
    case KIND_native:
        return KEEPER_lost;
    case KIND_unbounded_cache:
        return KEEPER_cache;
    case KIND_gc_lag:
        return KEEPER_collector;
    case KIND_retained:
        return KEEPER_program;
    default:
        return 0;
    }
}

static struct keeping *line_of(struct keeping *table, enum keeper keeper)
{
    for (size_t i = 0; i < LINES; i++)
        if (table[i].keeper == keeper)
            return &table[i];
    return NULL;
}

static void add_findings(struct keeping *table, const struct visit *visit)
{
    double most[LINES] = {0};

    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *finding = &visit->findings[i];
        struct keeping *line = line_of(table, keeper_of(finding));

        if (!line || finding->memory == MEMORY_DEVICE)
            continue;
        line->bytes += finding->rate.estimate;
        if ((finding->held_by || finding->holder.id != FACT_none) &&
            finding->rate.estimate > most[line - table]) {
            most[line - table] = finding->rate.estimate;
            line->largest = i + 1;
        }
    }
}

static double sum(const struct keeping *table)
{
    double bytes = 0;

    for (size_t i = 0; i < LINES; i++)
        bytes += table[i].bytes;
    return bytes;
}

/* Live growth without a finding goes to the line "open". Resident growth beyond live growth goes to the line
 * "slack". */
static void add_rest(struct keeping *table, const struct visit *visit)
{
    const double live = series_growth(&visit->series);
    const double explained = sum(table);
    const double rest = live - explained;

    if (rest >= RULE_MODEL_RATE)
        line_of(table, KEEPER_open)->bytes = rest;
    line_of(table, KEEPER_slack)->bytes =
        fmax(0, resident_rate(&visit->series) - fmax(live, explained));
}

void keeping_fill(struct process_report *report, const struct visit *visit)
{
    struct keeping *table;

    if (visit->clock.id != CLOCK_model || visit->series.ticks < MODELS_LEAST ||
        !(table = arena_take(visit->arena, LINES, sizeof(*table))))
        return;
    for (size_t i = 0; i < LINES; i++)
        table[i] = lines[i];
    add_findings(table, visit);
    add_rest(table, visit);
    report->keepings = table;
    report->keeping_count = LINES;
}
