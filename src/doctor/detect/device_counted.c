/* device_counted.c - a device whose blocks are not reported, but whose framework counts the bytes in use.
 *
 * JAX takes most of a device at its start and hands it out itself. Each of its arrays has records in the heap
 * of the host, which have a line and a holder. So the count says how fast the device's memory grows, and the
 * largest leak of the host says where.
 */
#include "doctor/detect/detect.h"
#include "doctor/measure/device_gauges.h"
#include "ledger/model.h"

/* The device with most bytes in use. */
static unsigned fullest(const struct model *model)
{
    const struct device_record *best = &model->devices[0].record;

    for (size_t i = 1; i < model->device_count; i++)
        if (model->devices[i].record.used > best->used)
            best = &model->devices[i].record;
    return best->index;
}

/* Bytes per tick by which the blocks that were seen on devices grow. */
static double seen_growth(const struct visit *visit)
{
    double all = 0;

    for (unsigned i = 0; i < LEDGER_DEVICES; i++)
        all += visit->device_growth[i].estimate;
    return all;
}

static const struct finding *largest_on_host(const struct visit *visit)
{
    const struct finding *best = NULL;

    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *finding = &visit->findings[i];

        if (kind_status(finding->kind) == 1 && finding->memory == MEMORY_HOST &&
            (!best || finding->rate.estimate > best->rate.estimate))
            best = finding;
    }
    return best;
}

bool detect_device_counted_applies(const struct visit *visit)
{
    return visit->model->device_count > 0 && !visit->runtime->own_heap;
}

void detect_device_counted(struct visit *visit)
{
    struct device_course course;
    const struct finding *host;
    struct finding *out;

    if (!device_course_of(&course, visit, DEVICE_IN_USE) || !course.rises ||
        seen_growth(visit) >= RULE_COVERED * course.slope.estimate)
        return;
    host = largest_on_host(visit);
    out = visit_add(visit);
    if (!out)
        return;
    out->kind = KIND_retained;
    out->memory = MEMORY_DEVICE;
    out->device = fullest(visit->model);
    out->rate = visit_rate(visit, course.slope);
    out->live_bytes = course.least[RULE_SEGMENTS - 1] - course.least[0];
    out->evicted_nothing = true;
    out->confidence = host ? 0.95 : 0.8;
    out->since = host ? host->since : visit->series.ticks / 5 + 1;
    out->headline = FACT_OF(device_counted, 0);
    advise(out, REMEDY_release);
    if (host) { /* the same line: group.c makes the host's records a part of this finding */
        out->allocated_at = host->allocated_at;
        out->allocated_count = host->allocated_count;
    }
    visit_grow(visit, out, course.slope);
}
