/* lag.c - see lag.h. */
#include "doctor/lag.h"

#include <string.h>

#include "doctor/culprits.h"
#include "doctor/evidence.h"
#include "doctor/places.h"
#include "doctor/remedies.h"

#define LINES_MAX 4 /* that one collection is told of */

/* The blocks of one line, or of one stack where lines are not known, that died with the collection. */
struct line {
    uint32_t site; /* index: the first that was seen */
    uint64_t released;
    double bytes;
    uint64_t first;  /* tick of the oldest birth */
    uint64_t events; /* distinct ticks of births, less those that came and went in between */
    uint64_t latest; /* tick of the birth that was counted last */
};

/* When a program has ended, its own variables are garbage: a collection behind the last tick tells
 * nothing where one in the latter half of the work was made. */
static const struct intervention_record *last_useful(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t at_work = collected_at_work(model, &visit->series);
    const bool only_at_work = at_work * 2 > visit->series.ticks;
    const struct intervention_record *found = NULL;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *one = &model->interventions[i];

        if (one->kind == INTERVENTION_COLLECT && one->released >= RULE_SURVIVORS &&
            !(only_at_work && series_tick(&visit->series, one->ordinal) > at_work))
            found = one;
    }
    return found;
}

/* Steps before the first tick are set-up: its garbage tells nothing of the loop. */
static bool waited(const struct visit *visit, const struct death_record *death,
                   const struct intervention_record *collection)
{
    return death->death == collection->ordinal && death->birth < collection->ordinal &&
           death->site > 0 && death->site <= visit->model->site_count &&
           visit->model->sites[death->site - 1].kind != SITE_MAP &&
           series_tick(&visit->series, death->birth) > 1;
}

static bool same_line(const struct visit *visit, uint32_t left, uint32_t right)
{
    const struct model_site *sites = visit->model->sites;
    const struct place *a, *b;
    size_t count_a, count_b;

    if (sites[left].stack == sites[right].stack)
        return true;
    if (!visit->places)
        return false;
    places_of(visit->places, sites[left].stack, &a, &count_a);
    places_of(visit->places, sites[right].stack, &b, &count_b);
    return count_a > 0 && count_b > 0 && a->line && a->line == b->line && a->file && b->file &&
           strcmp(a->file, b->file) == 0;
}

static struct line *line_of(struct line *lines, size_t *count, size_t room,
                            const struct visit *visit, uint32_t site)
{
    for (size_t i = 0; i < *count; i++)
        if (same_line(visit, lines[i].site, site))
            return &lines[i];
    if (*count == room)
        return NULL;
    lines[*count] = (struct line){.site = site};
    return &lines[(*count)++];
}

static void add_up(struct line *lines, size_t *count, size_t room, const struct visit *visit,
                   const struct intervention_record *collection)
{
    const struct model *model = visit->model;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct line *line;
        uint64_t tick;

        if (!waited(visit, death, collection) ||
            !(line = line_of(lines, count, room, visit, death->site - 1)))
            continue;
        tick = series_tick(&visit->series, death->birth);
        line->bytes += model_mean_weight(&model->sites[death->site - 1]);
        line->first = line->released == 0 || tick < line->first ? tick : line->first;
        line->events += line->released == 0 || tick != line->latest;
        line->latest = tick;
        line->released++;
    }
}

static bool is_told(const struct visit *visit, uint32_t site)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const uint32_t other = visit->findings[i].site;

        if (other > 0 && visit->model->sites[other - 1].stack == visit->model->sites[site].stack)
            return true;
    }
    return false;
}

/* So little beside the whole process that nobody would look for it: worth a note. */
static bool is_little(const struct visit *visit, double bytes)
{
    const struct model *model = visit->model;

    return model->step_count > 0 &&
           bytes < RULE_LAG_SHARE * (double)model->steps[model->step_count - 1].resident;
}

static void report_line(struct visit *visit, const struct line *line,
                        const struct intervention_record *collection)
{
    const uint64_t tick = series_tick(&visit->series, collection->ordinal);
    const double ticks = tick > line->first ? (double)(tick - line->first) : 1;
    const double rate = line->bytes / ticks * clock_scale(&visit->clock);
    struct collected collected;
    struct finding *out;

    collected_of(&collected, visit->model, line->site);
    if (rate < RULE_FINDING_RATE || line->released < RULE_SURVIVORS ||
        line->events < RULE_EVENTS || !collected_lag(&collected) || is_told(visit, line->site) ||
        !(out = visit_add(visit)))
        return;
    out->kind = KIND_gc_lag;
    out->confidence = 0.9;
    out->note = is_little(visit, line->bytes);
    out->rate = (struct interval){rate, rate / 2, rate * 2};
    out->since = line->first;
    out->live_bytes = (uint64_t)line->bytes;
    out->live_blocks = line->released;
    out->remedy = remedy_of(REMEDY_collect);
    culprits_locate(out, visit, line->site);
    evidence_lag(out, visit, &collected, collection, tick);
}

/* Full collections that the interpreter or the program made: then nothing waits for long. The last
 * record is written at the end, behind the last tick. */
static bool collects_itself(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t first = visit->series.points[0].full;
    uint64_t asked = 0;

    for (size_t i = 0; i < model->intervention_count; i++)
        asked += model->interventions[i].kind == INTERVENTION_COLLECT;
    return model->steps[model->step_count - 1].gauges[GAUGE_python_full] > first + asked + 1;
}

void lag_report(struct visit *visit)
{
    const struct intervention_record *collection = last_useful(visit);
    const size_t room = visit->model->site_count;
    struct line *lines = collection ? arena_take(visit->arena, room + 1, sizeof(*lines)) : NULL;
    size_t count = 0;

    if (!lines || collects_itself(visit))
        return;
    add_up(lines, &count, room, visit, collection);
    for (unsigned told = 0; told < LINES_MAX; told++) {
        struct line *most = NULL;

        for (size_t i = 0; i < count; i++)
            if (lines[i].bytes > 0 && (!most || lines[i].bytes > most->bytes))
                most = &lines[i];
        if (!most)
            return;
        report_line(visit, most, collection);
        most->bytes = 0;
    }
}
