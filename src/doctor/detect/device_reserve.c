/* device_reserve.c - memory of a device that a framework's pool has taken and does not use. */
#include <math.h>

#include "base/text.h"
#include "doctor/detect/detect.h"
#include "doctor/measure/device_gauges.h"
#include "doctor/source/places.h"
#include "ledger/model.h"

static uint64_t spare_of(const struct device_record *record)
{
    return record->pool > record->pool_used ? record->pool - record->pool_used : 0;
}

/* Only PyTorch's pool is described by advice that names its calls. */
static bool has_torch(const struct model *model)
{
    for (size_t i = 0; i < model->module_count; i++)
        if (text_has(model->modules[i].path, "/libc10"))
            return true;
    return false;
}

static struct finding *add_finding(struct visit *visit, enum kind kind, const struct device_record *record)
{
    struct finding *out = visit_add(visit);

    if (!out)
        return NULL;
    out->kind = kind;
    out->memory = MEMORY_DEVICE;
    out->device = record->index;
    out->confidence = 0.95;
    return out;
}

/* ---- free memory that the pool keeps ---- */

/* Where the block was made that keeps most of the free memory from being returned; NULL: not known. */
static const struct place *pinned_by(const struct visit *visit, const struct device_record *record)
{
    const struct place *places;
    size_t count;

    if (!visit->places || record->pinning_site == 0 || record->pinning_site > visit->model->site_count)
        return NULL;
    places_of(visit->places, visit->model->sites[record->pinning_site - 1].stack, &places, &count);
    return count > 0 ? places : NULL;
}

static void find_spare(struct visit *visit, const struct device_record *record)
{
    const uint64_t spare = spare_of(record);
    struct finding *out;

    if (spare < RULE_DEVICE_SPARE || spare < record->pool_used ||
        !(out = add_finding(visit, KIND_framework_cache, record)))
        return;
    out->live_bytes = spare;
    out->headline = FACT_OF(device_spare, spare, record->pool, record->pool_used);
    if (record->asked)
        fact_add(out, (struct fact){.id = FACT_device_spare_kept, .n = {record->returnable, record->pinned},
                                    .place = pinned_by(visit, record)});
    if (has_torch(visit->model))
        advise(out, REMEDY_empty_cache);
}

/* ---- free memory in pieces ---- */

/* The pool takes more and more from the driver, and what is in use does not grow as fast. */
static void find_growing_spare(struct visit *visit)
{
    struct device_course spare, used;
    struct finding *out;

    if (!device_course_of(&spare, visit, DEVICE_SPARE) || !spare.rises ||
        !device_course_of(&used, visit, DEVICE_IN_USE) || used.slope.estimate > spare.slope.estimate ||
        spare.least[RULE_SEGMENTS - 1] - spare.least[0] < RULE_GAP_BYTES ||
        !(out = add_finding(visit, KIND_fragmentation, &visit->model->devices[0].record)))
        return;
    out->rate = visit_rate(visit, spare.slope);
    out->since = visit->series.ticks / 5 + 1;
    out->live_bytes = spare.least[RULE_SEGMENTS - 1];
    out->headline = FACT_OF(device_takes, 0);
    advise(out, has_torch(visit->model) ? REMEDY_torch_segments : REMEDY_device_pieces);
}


/* Enough was free when the request failed, but not in one piece. */
static void find_pieces(struct visit *visit, const struct device_record *record)
{
    const uint64_t spare =
        record->failed_taken > record->failed_used ? record->failed_taken - record->failed_used : 0;
    struct finding *out;

    if (record->failed_bytes == 0 || spare + record->failed_free < record->failed_bytes ||
        !(out = add_finding(visit, KIND_fragmentation, record)))
        return;
    out->live_bytes = spare;
    out->headline = FACT_OF(device_pieces, record->failed_bytes, spare + record->failed_free);
    fact_add(out, FACT_OF(device_pieces_used, record->failed_used, record->failed_taken));
    advise(out, has_torch(visit->model) ? REMEDY_torch_segments : REMEDY_device_pieces);
}

bool detect_device_reserve_applies(const struct visit *visit)
{
    return visit->model->device_count > 0;
}

void detect_device_reserve(struct visit *visit)
{
    find_growing_spare(visit);
    for (size_t i = 0; i < visit->model->device_count; i++) {
        find_spare(visit, &visit->model->devices[i].record);
        find_pieces(visit, &visit->model->devices[i].record);
    }
}
