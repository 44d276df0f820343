/* gc_lag.c - see gc_lag.h. */
#include "doctor/detect/gc_lag.h"

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/device_pool.h"
#include "doctor/detect/growth.h"

#define LINES_MAX 4 /* lines that are reported for one collection */
#define FINALIZED 4 /* steps after a collection within which finalizers release what it found */

/* The blocks of one line, or of one stack where lines are not known, that died with the collection. */
struct line {
    uint32_t site; /* index: the first that was seen */
    uint64_t released;
    double bytes;
    uint64_t first;  /* tick of the oldest birth */
    uint64_t events; /* distinct ticks of births, less those that came and went in between */
    uint64_t latest; /* tick of the birth that was counted last */
    /* Of JavaScript: */
    uint64_t others; /* blocks that went otherwise */
    double waits;    /* bytes of those made since the latest collection */
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

        if (one->kind == INTERVENTION_COLLECT && one->unreachable >= RULE_SURVIVORS &&
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

static struct line *line_of(struct line *lines, size_t *count, size_t room,
                            const struct visit *visit, uint32_t site)
{
    for (size_t i = 0; i < *count; i++)
        if (visit_same_line(visit, lines[i].site, site))
            return &lines[i];
    if (*count == room)
        return NULL;
    lines[*count] = (struct line){.site = site};
    return &lines[(*count)++];
}

static void add_death(struct line *line, const struct visit *visit, const struct death_record *death)
{
    const uint64_t tick = series_tick(&visit->series, death->birth);

    line->bytes += model_mean_weight(&visit->model->sites[death->site - 1]);
    line->first = line->released == 0 || tick < line->first ? tick : line->first;
    line->events += line->released == 0 || tick != line->latest;
    line->latest = tick;
    line->released++;
}

static void add_up(struct line *lines, size_t *count, size_t room, const struct visit *visit,
                   const struct intervention_record *collection)
{
    const struct model *model = visit->model;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct line *line;

        if (waited(visit, death, collection) &&
            (line = line_of(lines, count, room, visit, death->site - 1)))
            add_death(line, visit, death);
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

/* So little compared with the whole process that it is only worth a note. */
static bool is_little(const struct visit *visit, double bytes)
{
    const struct model *model = visit->model;

    return model->step_count > 0 &&
           bytes < RULE_LAG_SHARE * (double)model->steps[model->step_count - 1].resident;
}

static uint64_t asked_for(const struct model *model)
{
    uint64_t asked = 0;

    for (size_t i = 0; i < model->intervention_count; i++)
        asked += model->interventions[i].kind == INTERVENTION_COLLECT;
    return asked;
}

/* It may be off for a moment only, in which somebody looked: then there are collections at other times. */
bool lag_is_endless(const struct visit *visit)
{
    const struct model *model = visit->model;
    bool off = false;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const uint32_t kind = model->interventions[i].kind;

        off = kind == INTERVENTION_COLLECTOR_OFF || (off && kind != INTERVENTION_COLLECTOR_ON);
    }
    return off && model->step_count > 0 &&
           model->steps[model->step_count - 1].gauges[GAUGE_python_collections] <=
               model->steps[model->step_count / 2].gauges[GAUGE_python_collections] + asked_for(model) + 1;
}

static void add_facts(struct finding *out, const struct visit *visit, const struct collected *collected,
                      const struct intervention_record *collection, uint64_t tick)
{
    const uint64_t ticks = visit->series.ticks;

    out->headline = FACT_OF(waits, 0);
    fact_add(out, collected->script
                      ? FACT_OF(lag_script, out->live_blocks, out->live_bytes)
                      : FACT_OF(lag_python, tick > ticks ? ticks : tick, collection->unreachable));
    if (collected->released + collected->alive > 0)
        fact_add(out, growth_collected(out, visit, collected));
    if (out->endless)
        fact_add(out, FACT_OF(collector_off, 0));
    growth_cycle(out, visit);
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
    demote(out, is_little(visit, line->bytes) ? DEMOTED_waits_little : DEMOTED_none);
    out->rate = (struct interval){rate, rate / 2, rate * 2};
    out->since = line->first;
    out->live_bytes = (uint64_t)line->bytes;
    out->live_blocks = line->released;
    out->endless = !collected.script && lag_is_endless(visit);
    advise(out, collected.script ? REMEDY_release_script
                : out->endless   ? REMEDY_collector_off
                                 : REMEDY_collect);
    attribute_locate(out, visit, line->site);
    add_facts(out, visit, &collected, collection, tick);
    device_pool_lag(out, visit);
}

/* Full collections that the interpreter or the program made: then nothing waits for long. The last
 * record is written at the end, behind the last tick. */
static bool collects_itself(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t first = visit->series.points[0].full;

    return model->steps[model->step_count - 1].gauges[GAUGE_python_full] > first + asked_for(model) + 1;
}

/* ---- JavaScript ----
 *
 * V8 knows the size of its own objects and of buffers, and collects when they grow. It does not
 * know the native memory that an add-on has for a small object. That memory waits until something
 * else makes V8 collect. Then a finalizer releases it, in a turn of the event loop after the
 * collection. Memory that a program releases itself does not wait for requested collections.
 */

/* The latest that was asked for while the program was at work; NULL: none. */
static const struct intervention_record *last_at_work(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t at_work = collected_at_work(model, &visit->series);

    for (size_t i = model->intervention_count; at_work > 0 && i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_COLLECT &&
            series_tick(&visit->series, model->interventions[i].ordinal) <= at_work)
            return &model->interventions[i];
    return NULL;
}

static bool was_finalized(const struct model *model, const struct death_record *death)
{
    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *one = &model->interventions[i];

        if (collected_all(one) && death->birth < one->ordinal &&
            death->death >= one->ordinal && death->death <= one->ordinal + FINALIZED)
            return true;
    }
    return false;
}

static bool is_scripts(const struct model *model, uint32_t number)
{
    const struct model_site *site =
        number > 0 && number <= model->site_count ? &model->sites[number - 1] : NULL;

    return site && site->kind == SITE_HEAP && collected_is_script(model, site->stack);
}

/* By how much V8's own count of what its objects hold outside of its heap has varied. */
static double known_to_engine(const struct model *model)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const uint64_t external = model->steps[i].gauges[GAUGE_external];

        least = external && external < least ? external : least;
        most = external > most ? external : most;
    }
    return most > least ? (double)(most - least) : 0;
}

/* Between two collections there is as much of it, on the average. */
static bool is_worth_telling(const struct line *line, const struct model *model)
{
    const double bytes = line->bytes + line->waits;
    double times = 1;

    for (size_t i = 0; i < model->intervention_count; i++)
        times += collected_all(&model->interventions[i]);
    return bytes >= RULE_LAG_SCRIPT && line->others < line->released &&
           known_to_engine(model) < bytes / times / 2;
}

/* Of all collections together: each takes away what waited since the one before. */
static void add_up_script(struct line *lines, size_t *count, size_t room, const struct visit *visit,
                          const struct intervention_record *last)
{
    const struct model *model = visit->model;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct line *line;

        if (!is_scripts(model, death->site) || death->death > last->ordinal + FINALIZED ||
            series_tick(&visit->series, death->birth) <= 1 ||
            !(line = line_of(lines, count, room, visit, death->site - 1)))
            continue;
        if (was_finalized(model, death))
            add_death(line, visit, death);
        else
            line->others++;
    }
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];
        struct line *line;

        if (block->birth >= last->ordinal && is_scripts(model, block->site) &&
            (line = line_of(lines, count, room, visit, block->site - 1)))
            line->waits += (double)block->weight;
    }
    for (size_t i = 0; i < *count; i++)
        if (!is_worth_telling(&lines[i], model))
            lines[i].bytes = 0;
}

bool detect_gc_lag_applies(const struct visit *visit)
{
    return visit->series.count > 0 && (visit->runtime->frees_later || !collects_itself(visit));
}

void detect_gc_lag(struct visit *visit)
{
    const bool script = visit->runtime->frees_later;
    const struct intervention_record *collection = script ? last_at_work(visit) : last_useful(visit);
    const size_t room = visit->model->site_count;
    struct line *lines = collection ? arena_take(visit->arena, room + 1, sizeof(*lines)) : NULL;
    size_t count = 0;

    if (!lines)
        return;
    if (script)
        add_up_script(lines, &count, room, visit, collection);
    else
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
