/* device_gauges.c - see device_gauges.h. */
#include "doctor/measure/device_gauges.h"

#include "ledger/model.h"

#define UNIT 4096u /* bytes; the rule for rises counts small whole numbers */

static uint64_t value_of(const struct step_record *step, enum device_number which)
{
    const uint64_t used = step->gauges[GAUGE_device_used], taken = step->gauges[GAUGE_device_taken];

    if (which == DEVICE_IN_USE)
        return used;
    return taken > used ? taken - used : 0;
}

static bool find_minima(struct device_course *out, const struct visit *visit, enum device_number which)
{
    const struct series *series = &visit->series;
    const uint64_t from = series->ticks / 5, width = (series->ticks - from) / RULE_SEGMENTS;
    bool seen[RULE_SEGMENTS] = {false};

    if (series->ticks < series->first_look || width == 0)
        return false;
    for (size_t i = 0; i < visit->model->step_count; i++) {
        const struct step_record *step = &visit->model->steps[i];
        const uint64_t tick = series_tick(series, step->last), value = value_of(step, which);
        uint64_t part;

        if (tick <= from || tick > series->ticks)
            continue;
        part = (tick - from - 1) / width;
        part = part < RULE_SEGMENTS ? part : RULE_SEGMENTS - 1;
        out->least[part] = seen[part] && out->least[part] < value ? out->least[part] : value;
        seen[part] = true;
    }
    for (unsigned i = 0; i < RULE_SEGMENTS; i++)
        if (!seen[i])
            return false;
    return true;
}

bool device_course_of(struct device_course *out, const struct visit *visit, enum device_number which)
{
    const double width = (double)visit->series.ticks * 4 / 5 / RULE_SEGMENTS;
    double x[RULE_SEGMENTS], y[RULE_SEGMENTS];
    uint32_t units[RULE_SEGMENTS];

    *out = (struct device_course){.rises = false};
    if (!find_minima(out, visit, which))
        return false;
    for (unsigned i = 0; i < RULE_SEGMENTS; i++) {
        const uint64_t least = out->least[i] > out->least[0] ? out->least[i] - out->least[0] : 0;

        x[i] = width * i;
        y[i] = (double)out->least[i];
        units[i] = (uint32_t)(least / UNIT);
    }
    out->slope = stats_theil_sen(x, y, RULE_SEGMENTS);
    out->rises = out->slope.low > 0 && classes_rising(units, RULE_RISES_NEEDED);
    return true;
}
