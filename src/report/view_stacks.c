/* view_stacks.c - stacks for the page's flame graph and its source view.
 *
 * Each process keeps the stacks that are largest by any value, at most STACKS_ALL in total. The others are
 * added up, so sums stay true. Each text and each frame is written once and referred to by number.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "doctor/measure/late_deaths.h"
#include "ledger/model.h"
#include "report/view_parts.h"

#define STACKS_ALL   4000
#define STACKS_LEAST 40 /* stacks of one process, by each value */
#define STACKS_MOST  600
#define BIRTHS       24 /* parts of the run into which survivors are divided */

/* A stack that is shown. */
struct shown {
    const struct profile_sample *sample;
    uint64_t births[BIRTHS]; /* live bytes by the part of the run in which they were allocated */
};

/* ---- texts and frames ---- */

static size_t number_of(struct view *view, struct intern *intern, const char *bytes, size_t length)
{
    const size_t number = intern_number(intern, bytes, length);

    view->failed |= number == INTERN_NONE;
    return number == INTERN_NONE ? 0 : number;
}

static size_t string_of(struct view *view, const char *text)
{
    return number_of(view, &view->strings, text ? text : "", text ? strlen(text) : 0);
}

/* Remembers that a frame is at this line of a user's file. */
static void note_line(struct view *view, const struct place *place)
{
    size_t key[2];

    if (!place->user || !place->file || place->line == 0)
        return;
    key[0] = number_of(view, &view->files, place->file, strlen(place->file));
    key[1] = place->line;
    (void)number_of(view, &view->lines, (const char *)key, sizeof(key));
}

static size_t frame_of(struct view *view, const struct place *place)
{
    const size_t key[6] = {string_of(view, place->function ? place->function : "?"),
                           string_of(view, place->file),
                           place->line,
                           string_of(view, place->module),
                           place->user,
                           place->language};

    note_line(view, place);
    return number_of(view, &view->frames, (const char *)key, sizeof(key));
}

static void put_frames(struct view *view)
{
    json_list(view->json, "frames");
    for (size_t i = 0; i < view->frames.count; i++) {
        size_t key[6];

        memcpy(key, view->frames.entries[i].bytes, sizeof(key));
        json_list(view->json, NULL);
        for (size_t k = 0; k < 6; k++)
            json_count(view->json, NULL, key[k]);
        json_end(view->json, ']');
    }
    json_end(view->json, ']');
}

static void put_strings(struct view *view)
{
    json_list(view->json, "strings");
    for (size_t i = 0; i < view->strings.count; i++)
        json_text(view->json, NULL, view->strings.entries[i].bytes);
    json_end(view->json, ']');
}

/* ---- which stacks ---- */

struct ranked {
    uint64_t value;
    size_t index;
};

static int by_value(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return a->value != b->value ? (a->value < b->value) - (a->value > b->value)
                                : (a->index > b->index) - (a->index < b->index);
}

/* Sets wanted[i] for the `most` largest by each value. */
static void choose(const struct profile_process *process, struct ranked *ranks, bool *wanted,
                   size_t most)
{
    for (unsigned value = 0; value < PROFILE_VALUES; value++) {
        for (size_t i = 0; i < process->count; i++)
            ranks[i] = (struct ranked){process->samples[i].values[value], i};
        qsort(ranks, process->count, sizeof(*ranks), by_value);
        for (size_t i = 0; i < process->count && i < most && ranks[i].value > 0; i++)
            wanted[ranks[i].index] = true;
    }
}

static int by_stack(const void *left, const void *right)
{
    const struct shown *a = left, *b = right;

    return (a->sample->stack > b->sample->stack) - (a->sample->stack < b->sample->stack);
}

static void add_birth(struct shown *list, size_t count, const struct model *model, uint32_t site,
                      uint64_t birth, uint64_t weight)
{
    const struct profile_sample sample = {.stack = site ? model->sites[site - 1].stack : 0};
    const struct shown key = {.sample = &sample};
    struct shown *found = bsearch(&key, list, count, sizeof(*list), by_stack);
    const uint64_t end = model->totals.ordinal + 1;
    const uint64_t part = birth < end ? birth * BIRTHS / end : BIRTHS - 1;

    if (found)
        found->births[part] += weight;
}

/* Sorts the list by stack, and fills in when its live memory was allocated. */
static void fill_births(struct shown *list, size_t count, const struct model *model, enum clock_id clock)
{
    if (count == 0)
        return;
    qsort(list, count, sizeof(*list), by_stack);
    for (size_t i = 0; i < model->block_count; i++)
        add_birth(list, count, model, model->blocks[i].site, model->blocks[i].birth,
                  model->blocks[i].weight);
    for (size_t i = 0; i < model->map_count; i++)
        add_birth(list, count, model, model->maps[i].site, model->maps[i].birth,
                  model->maps[i].length);
    for (size_t i = late_deaths_from(model, clock); i < model->death_count; i++)
        if (model->deaths[i].site > 0 && model->deaths[i].site <= model->site_count)
            add_birth(list, count, model, model->deaths[i].site, model->deaths[i].birth,
                      (uint64_t)late_death_bytes(model, &model->deaths[i]));
}

/* ---- writing ---- */

static void put_shown(struct view *view, const struct shown *shown)
{
    const struct profile_sample *sample = shown->sample;
    unsigned last = BIRTHS;

    json_list(view->json, NULL);
    json_list(view->json, NULL);
    for (size_t i = sample->place_count; i-- > 0;) /* outermost first */
        json_count(view->json, NULL, frame_of(view, &sample->places[i]));
    json_end(view->json, ']');
    json_list(view->json, NULL);
    for (unsigned value = 0; value < PROFILE_VALUES; value++)
        json_count(view->json, NULL, sample->values[value]);
    json_end(view->json, ']');
    json_list(view->json, NULL);
    while (last > 0 && shown->births[last - 1] == 0)
        last--;
    for (unsigned part = 0; part < last; part++)
        json_count(view->json, NULL, shown->births[part]);
    json_end(view->json, ']');
    json_end(view->json, ']');
}

static void put_rest(struct view *view, const struct profile_process *process, const bool *wanted)
{
    uint64_t sums[PROFILE_VALUES] = {0};
    size_t count = 0;

    for (size_t i = 0; i < process->count; i++) {
        count += !wanted[i];
        for (unsigned value = 0; value < PROFILE_VALUES && !wanted[i]; value++)
            sums[value] += process->samples[i].values[value];
    }
    json_object(view->json, "rest");
    json_count(view->json, "stacks", count);
    json_list(view->json, "values");
    for (unsigned value = 0; value < PROFILE_VALUES; value++)
        json_count(view->json, NULL, sums[value]);
    json_end(view->json, ']');
    json_end(view->json, '}');
}

static void put_process(struct view *view, const struct profile_process *process, size_t most)
{
    struct ranked *ranks = mem_zalloc_array(process->count + 1, sizeof(*ranks));
    bool *wanted = mem_zalloc_array(process->count + 1, sizeof(*wanted));
    struct shown *list = mem_zalloc_array(process->count + 1, sizeof(*list));
    size_t count = 0;

    json_object(view->json, NULL);
    json_count(view->json, "pid", process->report->pid);
    json_count(view->json, "generation", process->report->generation);
    json_list(view->json, "samples");
    if (ranks && wanted && list) {
        choose(process, ranks, wanted, most);
        for (size_t i = 0; i < process->count; i++)
            if (wanted[i])
                list[count++].sample = &process->samples[i];
        fill_births(list, count, process->model, process->report->clock);
    }
    for (size_t i = 0; i < count; i++)
        put_shown(view, &list[i]);
    json_end(view->json, ']');
    if (wanted)
        put_rest(view, process, wanted);
    view->failed |= !ranks || !wanted || !list;
    json_end(view->json, '}');
    mem_free(ranks);
    mem_free(wanted);
    mem_free(list);
}

void view_stacks(struct view *view)
{
    const size_t processes = view->profile->count > 0 ? view->profile->count : 1;
    const size_t share = STACKS_ALL / processes / 2;
    const size_t most = share > STACKS_MOST    ? STACKS_MOST
                        : share < STACKS_LEAST ? STACKS_LEAST
                                               : share;

    json_list(view->json, "stacks");
    for (size_t i = 0; i < view->profile->count; i++)
        put_process(view, &view->profile->processes[i], most);
    json_end(view->json, ']');
    put_frames(view);
    put_strings(view);
}
