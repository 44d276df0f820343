/* worker_ends.c - see worker_ends.h. */
#include "doctor/runtime/worker_ends.h"

#include "base/mem.h"
#include "doctor/measure/collected.h"
#include "doctor/source/places.h"
#include "doctor/facts/rules.h"
#include "ledger/site_kind.h"

#define AFTER_NS   500000000u /* its heap is taken down within so long */
#define KEPT_LEAST 32         /* least number of sampled blocks that a worker kept */
#define KEPT_STEPS 32         /* least number of steps that these blocks span */
#define KEPT_BYTES 1048576.0  /* least size of these blocks, or least growth of a worker's heap */

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

static const struct place *place_of(const struct visit *visit, uint32_t site)
{
    const struct place *places = NULL;
    size_t count = 0;

    if (visit->places)
        places_of(visit->places, visit->model->sites[site].stack, &places, &count);
    return count > 0 ? &places[0] : NULL;
}

/* The heap of a worker that was larger after each of its collections. */
static const struct intervention_record *largest_heap(const struct model *model)
{
    const struct intervention_record *best = NULL;

    for (size_t i = 0; i < model->intervention_count; i++) {
        const struct intervention_record *end = &model->interventions[i];

        if (end->kind == INTERVENTION_WORKER && end->heap_last > end->heap_first &&
            end->heap_last - end->heap_first >= KEPT_BYTES &&
            (!best || end->heap_last - end->heap_first > best->heap_last - best->heap_first))
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

static struct fact heap_note(const struct visit *visit)
{
    const struct intervention_record *end = is_told(visit) ? NULL : largest_heap(visit->model);

    return end ? FACT_OF(note_worker_heap, end->ordinal, end->heap_first, end->heap_last)
               : FACT_OF(none, 0);
}

struct fact worker_ends_note(const struct visit *visit)
{
    const struct model *model = visit->model;
    struct worst worst = {.end = NULL};
    struct fact note;

    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_WORKER)
            look_at(&worst, visit, &model->interventions[i]);
    if (!worst.end)
        return heap_note(visit);
    note = FACT_OF(note_worker_gave, worst.end->ordinal, (uint64_t)worst.gone.bytes, worst.gone.first,
                   worst.gone.last);
    note.place = place_of(visit, worst.site);
    return note;
}
