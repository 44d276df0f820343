/* group.c - see group.h. */
#include "doctor/judge/group.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ledger/model.h"

#define LINES_MOST 16 /* lines in made_at of one finding; the smallest are left out */

/* ---- the same cause ---- */

static bool same_call(const struct model_trace *a, const struct model_trace *b)
{
    return a && b && a->call_line == b->call_line && strcmp(a->call_file, b->call_file) == 0;
}

static bool same_step(const struct holder_step *a, const struct holder_step *b)
{
    return a->kind == b->kind && a->line == b->line &&
           (a->kind != OWNER_INDEX || a->number == b->number) && strcmp(a->name, b->name) == 0 &&
           strcmp(a->type, b->type) == 0 && strcmp(a->file, b->file) == 0;
}

/* Both paths lead to the same container, and it is the one that grows. */
static bool same_container(const struct finding *a, const struct finding *b)
{
    if (a->holder_growing >= a->holder_count || b->holder_growing >= b->holder_count ||
        a->holder_growing != b->holder_growing)
        return false;
    for (size_t i = 0; i <= a->holder_growing; i++)
        if (!same_step(&a->holder_path[i], &b->holder_path[i]))
            return false;
    return true;
}

/* Both are in the same store of a framework. */
static bool same_store(const struct fact *a, const struct fact *b)
{
    return a->id == FACT_by_store && b->id == FACT_by_store && a->text == b->text;
}

static enum cause same_holder(const struct finding *a, const struct finding *b)
{
    if (same_container(a, b))
        return CAUSE_CONTAINER;
    return same_store(&a->holder, &b->holder) ? CAUSE_STORE : CAUSE_NONE;
}

static bool same_line(const struct finding *a, const struct finding *b)
{
    return a->allocated_count > 0 && b->allocated_count > 0 &&
           place_same_line(a->allocated_at, b->allocated_at);
}

static enum cause same_cause(const struct finding *a, const struct finding *b)
{
    if (same_call(a->compiles, b->compiles))
        return CAUSE_CALL;
    if (kind_status(a->kind) != 1 || kind_status(b->kind) != 1 || a->demoted != b->demoted)
        return CAUSE_NONE;
    if (a->memory != b->memory && same_line(a, b))
        return CAUSE_RECORDS;
    if (a->memory == b->memory && a->device != b->device)
        return CAUSE_NONE;
    if (a->stored_at && b->stored_at)
        return place_same_line(a->stored_at, b->stored_at) ? CAUSE_STORE_LINE : CAUSE_NONE;
    return same_holder(a, b);
}

/* ---- joining ---- */

/* A holder is known: a path, a rule's name for it, or words about native memory. */
static bool knows_holder(const struct finding *finding)
{
    return finding->holder_count > 0 || finding->held_by || finding->holder.id != FACT_none;
}

/* `a` knows more about its holder than `b`; if both know the same, `a` is larger. */
static bool knows_holder_better(const struct finding *a, const struct finding *b)
{
    if ((a->stored_at != NULL) != (b->stored_at != NULL))
        return a->stored_at != NULL;
    if ((a->holder_count > 0) != (b->holder_count > 0))
        return a->holder_count > 0;
    return a->rate.estimate > b->rate.estimate;
}

static void add_rate(struct interval *to, const struct interval *other)
{
    to->estimate += other->estimate;
    to->low += other->low;
    to->high += other->high;
}

/* If only the host's records tell who holds the memory, the finding takes it from them. */
static void learn_holder(struct finding *to, const struct finding *records)
{
    if (to->stored_at || knows_holder(to) || (!records->stored_at && !knows_holder(records)))
        return;
    to->stored_at = records->stored_at;
    to->store = records->store;
    to->held_by = records->held_by;
    to->holder = records->holder;
    to->holder_path = records->holder_path;
    to->holder_count = records->holder_count;
    to->holder_growing = records->holder_growing;
    to->array = records->array;
    to->unsearched_why = records->unsearched_why;
    to->kind = records->kind;
    to->advice = records->advice;
    to->advice_code = records->advice_code;
}

/* The host's records of what a finding has on a device. The finding's own numbers are the device's. */
static void add_records(struct finding *to, const struct finding *records)
{
    learn_holder(to, records);
    add_rate(&to->host_rate, &records->rate);
    if (!records->note)
        demote(to, DEMOTED_none);
}

static void add(struct finding *to, const struct finding *other)
{
    add_rate(&to->rate, &other->rate);
    add_rate(&to->host_rate, &other->host_rate);
    stats_add(&to->counted, other->counted);
    to->live_bytes += other->live_bytes;
    to->live_blocks += other->live_blocks;
    to->since = other->since < to->since ? other->since : to->since;
    to->heap |= other->heap;
    if (!other->note)
        demote(to, DEMOTED_none);
    to->confidence = fmax(to->confidence, other->confidence);
}

/* The lines that allocate the memory of one finding. */
struct lines {
    struct made_line *items; /* in the arena */
    size_t count;            /* lines in `items` */
    size_t room;             /* lines that fit into `items` */
};

static void add_line(struct lines *lines, const struct finding *finding)
{
    if (finding->allocated_count == 0)
        return;
    for (size_t i = 0; i < lines->count; i++) {
        struct made_line *line = &lines->items[i];

        if (!place_same_line(line->places, finding->allocated_at))
            continue;
        line->rate += finding->rate.estimate;
        line->live_bytes += finding->live_bytes;
        line->live_blocks += finding->live_blocks;
        return;
    }
    if (lines->count < lines->room)
        lines->items[lines->count++] =
            (struct made_line){.places = finding->allocated_at, .place_count = finding->allocated_count,
                            .rate = finding->rate.estimate, .live_bytes = finding->live_bytes,
                            .live_blocks = finding->live_blocks};
}

static int by_rate(const void *left, const void *right)
{
    const struct made_line *a = left, *b = right;

    return (a->rate < b->rate) - (a->rate > b->rate);
}

/* Drops the places of the compiled body, so that the finding begins at the call: that is the line to
 * change. */
static void begin_at_call(struct finding *finding)
{
    const struct model_trace *trace = finding->compiles;

    for (size_t i = 0; i < finding->allocated_count; i++) {
        const struct place *place = &finding->allocated_at[i];

        if (!place->file || place->line != trace->call_line ||
            strcmp(place->file, trace->call_file) != 0)
            continue;
        finding->allocated_at += i;
        finding->allocated_count -= i;
        return;
    }
}

static void finish(struct finding *finding, struct lines *lines, size_t members)
{
    qsort(lines->items, lines->count, sizeof(*lines->items), by_rate);
    finding->made_at = lines->items;
    finding->made_count = lines->count < LINES_MOST ? lines->count : LINES_MOST;
    if (!finding->compiles)
        return;
    if (members > 1)
        finding->headline = FACT_OF(grows_compiling, 0);
    begin_at_call(finding);
}

/* Joins all later findings of the same cause into the one at `first`; `joined` marks them. */
static void join(struct visit *visit, size_t first, bool *joined)
{
    struct finding *one = &visit->findings[first];
    struct lines lines = {.room = visit->finding_count};
    size_t members = 1;

    lines.items = arena_take(visit->arena, lines.room, sizeof(*lines.items));
    if (!lines.items)
        return;
    add_line(&lines, one);
    for (size_t i = first + 1; i < visit->finding_count; i++) {
        struct finding *other = &visit->findings[i];
        const enum cause cause = joined[i] ? CAUSE_NONE : same_cause(one, other);

        if (cause == CAUSE_NONE)
            continue;
        visit_trail(visit, other->site,
                    (struct fact){.id = FACT_why_joined, .n = {cause}, .rate = other->rate.estimate,
                                  .place = one->allocated_count > 0 ? one->allocated_at : NULL});
        joined[i] = true;
        if (one->memory != other->memory) {
            add_records(one, other);
            continue;
        }
        add_line(&lines, other);
        if (knows_holder_better(other, one)) {
            const struct finding better = *other;

            *other = *one;
            *one = better;
        }
        add(one, other);
        members++;
    }
    finish(one, &lines, members);
}

void group_alone(struct visit *visit, struct finding *finding)
{
    struct lines lines = {.room = 1};

    if (finding->made_at || finding->allocated_count == 0)
        return;
    lines.items = arena_take(visit->arena, lines.room, sizeof(*lines.items));
    if (!lines.items)
        return;
    add_line(&lines, finding);
    finding->made_at = lines.items;
    finding->made_count = lines.count;
}

/* So that the host's records join the device's finding, and not the other way round. */
static void put_devices_first(struct visit *visit)
{
    struct finding *const all = visit->findings;
    size_t devices = 0;

    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding here = all[i];

        if (here.memory != MEMORY_DEVICE)
            continue;
        memmove(&all[devices + 1], &all[devices], (i - devices) * sizeof(here));
        all[devices++] = here;
    }
}

void group_findings(struct visit *visit)
{
    bool joined[VISIT_FINDINGS_MAX] = {false};
    size_t kept = 0;

    put_devices_first(visit);
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!joined[i])
            join(visit, i, joined);
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!joined[i])
            visit->findings[kept++] = visit->findings[i];
    visit->finding_count = kept;
}
