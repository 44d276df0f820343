/* summary.c - see summary.h. */
#include "doctor/run/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/facts/ticks.h"
#include "doctor/measure/late_deaths.h"
#include "doctor/run/devices.h"
#include "doctor/source/places.h"
#include "ledger/model.h"
#include "ledger/site_kind.h"

#define GROWTH_LEAST  16.0 /* bytes per tick: less is chance */
#define GROWTH_SHARE  0.05 /* of the line that grows most: so is less than this */
#define INTERVALS_MIN 4 /* fewer have no second half worth the name */
#define CANDIDATES                                                                                 \
    (2 * SUMMARY_SITES) /* stacks looked at for each list: some show the same places */

typedef double metric_fn(const struct summary_row *row);

static double by_live(const struct summary_row *row)
{
    return (double)row->live;
}

static double by_newer(const struct summary_row *row)
{
    return (double)row->newer;
}

static double by_peak(const struct summary_row *row)
{
    return (double)row->peak;
}

/* ---- intervals ---- */

/* The last interval that is over; of a run without steps, the one now open. */
static bool is_newer(const struct model *model, uint64_t birth)
{
    return birth > model_last_ordinal(model) / 2 && birth <= model_last_ordinal(model);
}

static uint64_t half_ordinal(const struct model *model)
{
    return model_last_ordinal(model) / 2;
}

/* Ticks of a clock from the middle to the end; of the clock of time, seconds. */
static double ticks_of(const struct model *model, enum clock_id clock)
{
    const struct step_record *before = NULL, *last = NULL;
    uint64_t from, to;

    for (size_t i = 0; i < model->step_count; i++) {
        last = &model->steps[i];
        if (last->last <= half_ordinal(model))
            before = last;
    }
    if (!last || clock == CLOCK_NONE)
        return 0;
    if (clock == CLOCK_time) {
        from = before ? before->time : model->head.start_mono;
        return last->time > from ? (double)(last->time - from) / 1e9 : 0;
    }
    from = before ? before->clock[clock] : 0;
    to = last->clock[clock];
    return to > from ? (double)(to - from) : 0;
}

/* ---- rows ---- */

static void add_blocks(struct summary_row *rows, const struct model *model)
{
    for (size_t i = 0; i < model->block_count; i++) {
        const struct model_block *block = &model->blocks[i];
        struct summary_row *row = &rows[block->site > 0 ? block->site - 1 : 0];

        if (block->site == 0 || block->site > model->site_count)
            continue;
        row->blocks += block->size > 0 ? (double)block->weight / (double)block->size : 1;
        row->newer += is_newer(model, block->birth) ? block->weight : 0;
    }
    for (size_t i = 0; i < model->map_count; i++) {
        const struct map_record *map = &model->maps[i];

        if (map->site == 0 || map->site > model->site_count)
            continue;
        rows[map->site - 1].blocks += 1;
        rows[map->site - 1].newer += is_newer(model, map->birth) ? map->length : 0;
    }
}

/* The data of a managed tensor are blocks of the heap, and in the list as such; an arena is reserved,
 * and what is in use of it has lines of its own. */
static bool listed(const struct model_site *site)
{
    return site->kind != 0 && site->kind != SITE_TENSOR_MANAGED && site->kind != SITE_ARENA &&
           site->kind != SITE_SCRIPT && site->kind != SITE_BUFFER;
}

static void add_late_deaths(struct summary_row *rows, const struct model *model, enum clock_id clock)
{
    for (size_t i = late_deaths_from(model, clock); i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct summary_row *row = &rows[death->site > 0 ? death->site - 1 : 0];
        uint64_t bytes;

        if (death->site == 0 || death->site > model->site_count ||
            !listed(&model->sites[death->site - 1]))
            continue;
        bytes = (uint64_t)late_death_bytes(model, death);
        row->live += bytes;
        row->blocks += late_death_blocks(model, death);
        row->newer += is_newer(model, death->birth) ? bytes : 0;
    }
}

static int by_stack(const void *left, const void *right)
{
    const struct summary_row *a = left, *b = right;

    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (int)a->map - (int)b->map;
}

static void row_add(struct summary_row *to, const struct summary_row *from)
{
    to->live += from->live;
    to->born += from->born;
    to->peak += from->peak;
    to->newer += from->newer;
    to->blocks += from->blocks;
}

static size_t merge_rows(struct summary_row *rows, size_t count)
{
    size_t kept = 0;

    qsort(rows, count, sizeof(*rows), by_stack);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_stack(&rows[kept - 1], &rows[i]) == 0)
            row_add(&rows[kept - 1], &rows[i]);
        else
            rows[kept++] = rows[i];
    }
    return kept;
}

size_t summary_rows(struct summary_row *rows, const struct model *model, enum clock_id clock)
{
    for (size_t i = 0; i < model->site_count; i++) {
        const struct model_site *site = &model->sites[i];

        rows[i] = (struct summary_row){.stack = 0};
        if (!listed(site))
            continue;
        rows[i] = (struct summary_row){.stack = site->stack,
                               .map = site->kind == SITE_MAP || site->kind == SITE_SHARED,
                               .device = site_is_device(site->kind) ? site->class_index + 1 : 0,
                               .live = site->live_weight,
                               .born = site->born_weight,
                               .peak = site->peak_weight};
    }
    add_blocks(rows, model);
    add_late_deaths(rows, model, clock);
    return merge_rows(rows, model->site_count);
}

/* ---- lists ---- */

struct entry {
    struct summary_row row;
    const struct place *places; /* borrowed from the arena */
    size_t place_count;
};

/* The largest of the rows of one memory, in order, by a partial selection: lists are short, rows are many. */
static size_t select_top(const struct summary_row *rows, size_t count, unsigned device, metric_fn *metric,
                         const struct summary_row **top)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        size_t at = kept;

        if (rows[i].device != device || metric(&rows[i]) <= 0)
            continue;
        while (at > 0 && metric(top[at - 1]) < metric(&rows[i]))
            at--;
        if (at == CANDIDATES)
            continue;
        kept += kept < CANDIDATES;
        memmove(&top[at + 1], &top[at], (kept - 1 - at) * sizeof(*top));
        top[at] = &rows[i];
    }
    return kept;
}

static bool same_places(const struct entry *a, const struct entry *b)
{
    bool same = a->place_count == b->place_count && a->row.map == b->row.map;

    for (size_t i = 0; i < a->place_count && same; i++)
        same = place_same(&a->places[i], &b->places[i]);
    return same;
}

/* Stacks that differ only in frames that are not shown are one entry. */
static size_t merge_entries(struct entry *entries, const struct summary_row *const *top, size_t count,
                            struct places *places)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &entries[kept];
        size_t at = 0;

        entry->row = *top[i];
        places_of(places, entry->row.stack, &entry->places, &entry->place_count);
        while (at < kept && !same_places(&entries[at], entry))
            at++;
        if (at < kept)
            row_add(&entries[at].row, &entry->row);
        else
            kept++;
    }
    return kept;
}

static void sort_entries(struct entry *entries, size_t count, metric_fn *metric)
{
    for (size_t i = 1; i < count; i++) {
        const struct entry moved = entries[i];
        size_t at = i;

        for (; at > 0 && metric(&entries[at - 1].row) < metric(&moved.row); at--)
            entries[at] = entries[at - 1];
        entries[at] = moved;
    }
}

/* All rows, and what the lists of their sites need. */
struct table {
    struct summary_row *rows;
    size_t count;
    double intervals; /* in which `newer` was gathered; 0: too few to say */
    struct places *places;
    struct arena *arena;
};

static size_t make_list(const struct site_summary **out, const struct table *table, unsigned device,
                        metric_fn *metric)
{
    const double intervals = table->intervals;
    const struct summary_row *top[CANDIDATES];
    struct entry entries[CANDIDATES];
    const size_t selected = select_top(table->rows, table->count, device, metric, top);
    const size_t found = merge_entries(entries, top, selected, table->places);
    const size_t kept = found < SUMMARY_SITES ? found : SUMMARY_SITES;
    struct site_summary *list = arena_take(table->arena, kept, sizeof(*list));

    if (!list)
        return 0;
    sort_entries(entries, found, metric);
    for (size_t i = 0; i < kept; i++) {
        const struct summary_row *row = &entries[i].row;

        list[i] =
            (struct site_summary){.places = entries[i].places,
                                  .place_count = entries[i].place_count,
                                  .live_bytes = row->live,
                                  .live_blocks = (uint64_t)(row->blocks + 0.5),
                                  .born_bytes = row->born,
                                  .peak_bytes = row->peak,
                                  .growth = intervals > 0 ? (double)row->newer / intervals : 0,
                                  .map = row->map};
    }
    *out = list;
    return kept;
}

static void fill_devices(struct process_report *report, const struct model *model, const struct table *table)
{
    struct device_summary *list = arena_take(table->arena, model->device_count + 1, sizeof(*list));

    for (size_t i = 0; list && i < model->device_count; i++) {
        device_summary_make(&list[i], model, i, table->places, table->arena);
        list[i].site_count = make_list(&list[i].sites, table, list[i].index + 1, by_live);
    }
    report->devices = list;
    report->device_count = list ? model->device_count : 0;
}

int summary_fill(struct process_report *report, const struct model *model, enum clock_id clock,
                 struct places *places, struct arena *arena, struct why *why)
{
    const uint64_t last = model_last_ordinal(model);
    struct table table = {.rows = mem_zalloc_array(model->site_count, sizeof(*table.rows)),
                          .intervals = last >= INTERVALS_MIN ? (double)(last - half_ordinal(model)) : 0,
                          .places = places,
                          .arena = arena};

    if (!table.rows)
        return fail(why, ERR_NOMEM, "no room for %zu sites", model->site_count);
    table.count = summary_rows(table.rows, model, clock);
    report->live_site_count = make_list(&report->live_sites, &table, 0, by_live);
    report->peak_site_count = make_list(&report->peak_sites, &table, 0, by_peak);
    if (table.intervals > 0)
        report->growing_site_count = make_list(&report->growing_sites, &table, 0, by_newer);
    fill_devices(report, model, &table);
    mem_free(table.rows);
    return arena_failed(arena) ? fail(why, ERR_NOMEM, "no room for the lists of sites") : 0;
}

/* The lists are in the arena, made by summary_fill: they are ours to change. */
static void rescale(const struct site_summary *sites, size_t count, double factor)
{
    struct site_summary *own = (struct site_summary *)(uintptr_t)sites;

    for (size_t i = 0; i < count; i++)
        own[i].growth *= factor;
}

/* The tick of a clock that an interval belongs to. */
static uint64_t tick_of(const struct model *model, enum clock_id clock, uint64_t ordinal)
{
    uint64_t tick = 0;

    for (size_t i = 0; i < model->step_count && model->steps[i].first <= ordinal; i++)
        tick = model->steps[i].clock[clock];
    return tick;
}

double summary_ticks(const struct process_report *report, const struct model *model)
{
    return model_last_ordinal(model) >= INTERVALS_MIN ? ticks_of(model, report->clock) : 0;
}

/* Does the verdict leave room for lines that grow? It does not where nothing grows, where too little was seen
 * for any rate, and where garbage waits, of which a collection in between has freed a part. */
static bool may_grow(const struct process_report *report)
{
    bool known = kind_status(report->verdict) == 1;

    for (size_t i = 0; i < report->finding_count && !known; i++)
        known = report->findings[i].kind == KIND_undecided &&
                report->findings[i].headline.id != FACT_kept_so_far;
    return known && !report->early;
}

/* A list of growing lines must not contradict the verdict; beside the largest, what is little is chance. */
static void settle_growing(struct process_report *report)
{
    const struct site_summary *sites = report->growing_sites;
    const double least = report->growing_site_count > 0
                             ? fmax(GROWTH_LEAST, GROWTH_SHARE * sites[0].growth)
                             : 0;

    if (!may_grow(report))
        report->growing_site_count = 0;
    while (report->growing_site_count > 0 && sites[report->growing_site_count - 1].growth < least)
        report->growing_site_count--;
}

void summary_use_clock(struct process_report *report, const struct model *model)
{
    const double ticks = ticks_of(model, report->clock);
    double factor;

    if (ticks <= 0) {
        settle_growing(report);
        return;
    }
    factor = (double)(model_last_ordinal(model) - half_ordinal(model)) / ticks;
    rescale(report->live_sites, report->live_site_count, factor);
    rescale(report->peak_sites, report->peak_site_count, factor);
    rescale(report->growing_sites, report->growing_site_count, factor);
    settle_growing(report);
    report->peak_step = tick_of(model, report->clock, report->peak_step);
}
