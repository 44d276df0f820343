/* gc_lag.c - see gc_lag.h. */
#include "doctor/detect/gc_lag.h"

#include "doctor/detect/attribute.h"
#include "doctor/detect/detect.h"
#include "doctor/detect/device_pool.h"
#include "doctor/detect/growth.h"

#define LINES_MAX 4 /* findings for one collection */
#define FINALIZED 4 /* finalizers release the garbage of a collection within so many steps */

/* The blocks of one line that a collection freed; of one stack if lines are not known. */
struct line {
    uint32_t site;     /* the first site of the line, index into model->sites */
    uint64_t released; /* sampled blocks that the collection freed */
    double bytes;      /* bytes that these blocks stand for */
    uint64_t first;    /* tick of the oldest birth */
    uint64_t events;   /* how often the tick of birth changed from one block to the next */
    uint64_t latest;   /* tick of birth of the block that was counted last */
    uint64_t others;   /* JavaScript only: blocks that were released without a collection */
    double waits;      /* JavaScript only: bytes of blocks allocated since the last collection */
};

/* The last collection that freed enough and says something about the loop; NULL: none. After the
 * end of the work the program's own variables are garbage, so a collection there does not count
 * if there was one in the second half of the work. */
static const struct intervention_record *last_useful_collection(const struct visit *visit)
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

/* The collection freed this block, which the program allocated after its first tick. Garbage of
 * the set-up says nothing about the loop. */
static bool was_garbage(const struct visit *visit, const struct death_record *death,
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

        if (was_garbage(visit, death, collection) &&
            (line = line_of(lines, count, room, visit, death->site - 1)))
            add_death(line, visit, death);
    }
}

/* A finding for this stack exists already. */
static bool is_reported(const struct visit *visit, uint32_t site)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const uint32_t other = visit->findings[i].site;

        if (other > 0 && visit->model->sites[other - 1].stack == visit->model->sites[site].stack)
            return true;
    }
    return false;
}

/* So little compared with the whole process that it is only a note. */
static bool is_little(const struct visit *visit, double bytes)
{
    const struct model *model = visit->model;

    return model->step_count > 0 &&
           bytes < RULE_LAG_SHARE * (double)model->steps[model->step_count - 1].resident;
}

/* How many collections tare requested. */
static uint64_t requested_collections(const struct model *model)
{
    uint64_t requested = 0;

    for (size_t i = 0; i < model->intervention_count; i++)
        requested += model->interventions[i].kind == INTERVENTION_COLLECT;
    return requested;
}

/* A program may switch the collector off for a short time only; then collections came at other
 * times. */
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
               model->steps[model->step_count / 2].gauges[GAUGE_python_collections] +
                   requested_collections(model) + 1;
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
        line->events < RULE_EVENTS || !collected_lag(&collected) || is_reported(visit, line->site) ||
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

/* The interpreter or the program made full collections itself, so no garbage waits for long. One
 * more is allowed: the last record is written at the end, after the last tick. */
static bool collects_itself(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t first = visit->series.points[0].full;

    return model->steps[model->step_count - 1].gauges[GAUGE_python_full] >
           first + requested_collections(model) + 1;
}

/* ---- JavaScript ----
 *
 * V8 knows the size of its own objects and of buffers, and collects when they grow. It does not
 * know the native memory that an add-on allocates for a small object. That memory waits until something
 * else makes V8 collect. Then a finalizer releases it, in a turn of the event loop after the
 * collection. If blocks of a line are mostly released without a collection, nothing waits there.
 */

/* The last collection that tare requested while the program was at work; NULL: none. */
static const struct intervention_record *last_collection_at_work(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t at_work = collected_at_work(model, &visit->series);

    for (size_t i = model->intervention_count; at_work > 0 && i-- > 0;)
        if (model->interventions[i].kind == INTERVENTION_COLLECT &&
            series_tick(&visit->series, model->interventions[i].ordinal) <= at_work)
            return &model->interventions[i];
    return NULL;
}

/* A finalizer released the block: it died within FINALIZED steps of a full collection. */
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

/* JavaScript code allocated the heap blocks of this site (`number` is its index + 1). */
static bool is_script_site(const struct model *model, uint32_t number)
{
    const struct model_site *site =
        number > 0 && number <= model->site_count ? &model->sites[number - 1] : NULL;

    return site && site->kind == SITE_HEAP && collected_is_script(model, site->stack);
}

/* The range of V8's own count of external memory, that is, memory that its objects hold outside
 * of its heap. */
static double external_range(const struct model *model)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (size_t i = 0; i < model->step_count; i++) {
        const uint64_t external = model->steps[i].gauges[GAUGE_external];

        least = external && external < least ? external : least;
        most = external > most ? external : most;
    }
    return most > least ? (double)(most - least) : 0;
}

/* The line's memory waits for collections, is enough to report, and V8 does not know about most
 * of it. On average bytes / times waits between two collections. */
static bool is_worth_reporting(const struct line *line, const struct model *model)
{
    const double bytes = line->bytes + line->waits;
    double times = 1;

    for (size_t i = 0; i < model->intervention_count; i++)
        times += collected_all(&model->interventions[i]);
    return bytes >= RULE_LAG_SCRIPT && line->others < line->released &&
           external_range(model) < bytes / times / 2;
}

/* Adds up the garbage of all collections: each frees what waited since the one before. */
static void add_up_script(struct line *lines, size_t *count, size_t room, const struct visit *visit,
                          const struct intervention_record *last)
{
    const struct model *model = visit->model;

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct line *line;

        if (!is_script_site(model, death->site) || death->death > last->ordinal + FINALIZED ||
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

        if (block->birth >= last->ordinal && is_script_site(model, block->site) &&
            (line = line_of(lines, count, room, visit, block->site - 1)))
            line->waits += (double)block->weight;
    }
    for (size_t i = 0; i < *count; i++)
        if (!is_worth_reporting(&lines[i], model))
            lines[i].bytes = 0;
}

bool detect_gc_lag_applies(const struct visit *visit)
{
    return visit->series.count > 0 && (visit->runtime->frees_later || !collects_itself(visit));
}

void detect_gc_lag(struct visit *visit)
{
    const bool script = visit->runtime->frees_later;
    const struct intervention_record *collection = script ? last_collection_at_work(visit)
                                                          : last_useful_collection(visit);
    const size_t room = visit->model->site_count;
    struct line *lines = collection ? arena_take(visit->arena, room + 1, sizeof(*lines)) : NULL;
    size_t count = 0;

    if (!lines)
        return;
    if (script)
        add_up_script(lines, &count, room, visit, collection);
    else
        add_up(lines, &count, room, visit, collection);
    for (unsigned reported = 0; reported < LINES_MAX; reported++) {
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
