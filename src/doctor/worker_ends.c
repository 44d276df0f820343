/* worker_ends.c - see worker_ends.h. */
#include "doctor/worker_ends.h"

#include "base/mem.h"
#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/places.h"
#include "doctor/rules.h"
#include "ledger/site_kind.h"

#define AFTER_NS   500000000u /* its heap is taken down within so long */
#define KEPT_LEAST 32         /* sampled blocks … */
#define KEPT_STEPS 32         /* … of so many steps … */
#define KEPT_BYTES 1048576.0  /* … and so large in all */

/* What went with a worker, of one site. */
struct gone {
    double bytes;
    uint64_t blocks, first, last; /* births */
};

struct worst {
    const struct intervention_record *end;
    struct gone gone;
    uint32_t site;
};

/* The last ordinal whose step was over soon after the worker's end. */
static uint64_t until(const struct model *model, const struct intervention_record *end)
{
    uint64_t last = end->ordinal;

    for (size_t i = 0; i < model->step_count; i++)
        if (model->steps[i].time <= end->time + AFTER_NS && model->steps[i].last > last)
            last = model->steps[i].last;
    return last;
}

static bool is_scripts(const struct model *model, uint32_t site)
{
    return site > 0 && site <= model->site_count && model->sites[site - 1].kind == SITE_HEAP &&
           model->sites[site - 1].births > 0 && collected_is_script(model, model->sites[site - 1].stack);
}

static void add_up(struct gone *gone, const struct model *model, const struct intervention_record *end)
{
    const uint64_t last = until(model, end);

    for (size_t i = 0; i < model->death_count; i++) {
        const struct death_record *death = &model->deaths[i];
        struct gone *one;

        if (death->death < end->ordinal || death->death > last || !is_scripts(model, death->site))
            continue;
        one = &gone[death->site - 1];
        one->bytes += (double)model->sites[death->site - 1].born_weight /
                      (double)model->sites[death->site - 1].births;
        one->first = one->blocks == 0 || death->birth < one->first ? death->birth : one->first;
        one->last = death->birth > one->last ? death->birth : one->last;
        one->blocks++;
    }
}

/* Nine of ten blocks that were ever made there went with it: nothing took them before. */
static bool was_kept(const struct gone *gone, const struct model_site *site)
{
    return gone->blocks >= KEPT_LEAST && gone->last - gone->first >= KEPT_STEPS &&
           gone->bytes >= KEPT_BYTES && gone->blocks * 10 >= site->births * 9;
}

static void look_at(struct worst *worst, const struct visit *visit, const struct intervention_record *end)
{
    const struct model *model = visit->model;
    struct gone *gone = mem_zalloc_array(model->site_count + 1, sizeof(*gone));

    if (!gone)
        return;
    add_up(gone, model, end);
    for (uint32_t i = 0; i < model->site_count; i++)
        if (gone[i].bytes > worst->gone.bytes && was_kept(&gone[i], &model->sites[i]))
            *worst = (struct worst){end, gone[i], i};
    mem_free(gone);
}

static const char *place_of(const struct visit *visit, uint32_t site)
{
    const struct place *places = NULL;
    size_t count = 0;

    if (visit->places)
        places_of(visit->places, visit->model->sites[site].stack, &places, &count);
    if (count == 0 || !places[0].file)
        return "a line that is not known";
    return arena_print(visit->arena, "%s:%u", places[0].file, places[0].line);
}

/* The heap of a worker that was larger behind each of its collections. */
static const struct intervention_record *largest_heap(const struct model *model)
{
    const struct intervention_record *best = NULL;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *end = &model->interventions[i];

        if (end->kind == INTERVENTION_WORKER && end->resident_after > end->resident_before &&
            end->resident_after - end->resident_before >= KEPT_BYTES &&
            (!best || end->resident_after - end->resident_before >
                          best->resident_after - best->resident_before))
            best = end;
    }
    return best;
}

/* It was judged while it lived. */
static bool is_told(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].heap && !visit->findings[i].note)
            return true;
    return false;
}

static const char *heap_note(const struct visit *visit)
{
    const struct intervention_record *end = is_told(visit) ? NULL : largest_heap(visit->model);
    char from[TEXT_SIZE_MAX], to[TEXT_SIZE_MAX];

    if (!end)
        return NULL;
    return arena_print(visit->arena,
                       "A worker thread ended at step %llu. Behind the collections of its life its heap had "
                       "risen from %s to %s. That went with it and is no leak of the process; a worker that "
                       "lives on would grow so.",
                       (unsigned long long)end->ordinal, text_size(from, end->resident_before),
                       text_size(to, end->resident_after));
}

const char *worker_ends_note(const struct visit *visit)
{
    const struct model *model = visit->model;
    struct worst worst = {.end = NULL};
    char size[TEXT_SIZE_MAX];

    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_WORKER)
            look_at(&worst, visit, &model->interventions[i]);
    if (!worst.end)
        return heap_note(visit);
    return arena_print(visit->arena,
                       "A worker thread ended at step %llu and gave back %s that it had made at %s in steps "
                       "%llu to %llu; almost nothing of it had gone before: it was held, or waited for the "
                       "worker's collector. That is no leak of the process; if it was held, a worker that "
                       "lives on would grow so.",
                       (unsigned long long)worst.end->ordinal, text_size(size, (uint64_t)worst.gone.bytes),
                       place_of(visit, worst.site), (unsigned long long)worst.gone.first,
                       (unsigned long long)worst.gone.last);
}
