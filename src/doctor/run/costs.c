/* costs.c - see costs.h. */
#include "doctor/run/costs.h"

#include "base/arena.h"
#include "ledger/model.h"

static const struct {
    const char *name, *one, *many;
} kinds[COST_KINDS] = {
    [COST_last_round] = {"last_round", "wait before the end", "waits before the end"},
    [COST_rate] = {"rate", "change of the sampling rate", "changes of the sampling rate"},
    [COST_watch] = {"watch", "watched size classes", "watched size classes"},
    [COST_trim] = {"trim", "trim of the heap", "trims of the heap"},
    [COST_holders] = {"holders", "search for holders", "searches for holders"},
    [COST_account] = {"account", "account of the resident size", "accounts of the resident size"},
    [COST_collect] = {"collect", "collection", "collections"},
    [COST_objects] = {"objects", "window on small objects", "windows on small objects"},
    [COST_snapshot] = {"snapshot", "heap snapshot", "heap snapshots"},
    [COST_sync] = {"sync", "wait for a device", "waits for a device"},
};

const char *cost_name(enum cost_kind kind)
{
    return kinds[kind].name;
}

const char *cost_words(enum cost_kind kind, uint64_t count)
{
    return count == 1 ? kinds[kind].one : kinds[kind].many;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The wait before the end is listed by itself: the program has done its work by then. */
static void add_line(struct cost_summary *out, enum cost_kind kind, const struct cost_line *line)
{
    struct cost_line *sum = &out->kinds[kind];

    sum->count += line->count;
    sum->refused += line->refused;
    sum->bytes += line->bytes;
    sum->program_seconds += line->program_seconds;
    sum->copy_seconds += line->copy_seconds;
    sum->pause_seconds += line->pause_seconds;
    sum->longest_seconds = larger(sum->longest_seconds, line->longest_seconds);
    out->bytes += line->bytes;
    out->program_seconds += line->program_seconds;
    out->copy_seconds += line->copy_seconds;
    if (kind == COST_last_round) {
        out->wait_seconds += line->pause_seconds;
        return;
    }
    out->pause_seconds += line->pause_seconds;
    out->longest_seconds = larger(out->longest_seconds, line->longest_seconds);
}

const struct cost_summary *costs_of(const struct model *model, struct arena *arena)
{
    struct cost_summary *out = model->costs_known ? arena_take(arena, 1, sizeof(*out)) : NULL;

    for (unsigned kind = 0; out && kind < COST_KINDS; kind++) {
        const struct cost_record *record = &model->costs[kind];
        const struct cost_line line = {.count = record->count,
                                       .refused = record->refused,
                                       .bytes = record->bytes,
                                       .program_seconds = seconds(record->program_ns),
                                       .copy_seconds = seconds(record->copy_ns),
                                       .pause_seconds = seconds(record->pause_ns),
                                       .longest_seconds = seconds(record->longest_ns)};

        add_line(out, (enum cost_kind)kind, &line);
    }
    return out;
}

void costs_sum(struct diagnosis *out, const struct model *own)
{
    struct cost_summary *sum = NULL;

    for (size_t i = 0; i < out->process_count; i++) {
        const struct cost_summary *one = out->processes[i].cost;

        sum = one && !sum ? arena_take(out->arena, 1, sizeof(*sum)) : sum;
        for (unsigned kind = 0; one && sum && kind < COST_KINDS; kind++)
            add_line(sum, (enum cost_kind)kind, &one->kinds[kind]);
    }
    out->cost = sum;
    if (!own)
        return;
    out->effort = (struct effort){.program_seconds = seconds(own->effort.program_ns),
                                  .tare_seconds = seconds(own->effort.tare_ns),
                                  .look_seconds = seconds(own->effort.look_ns),
                                  .looks = own->effort.looks};
}
