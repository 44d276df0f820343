/* answer.c - "Does it leak?", answered in one sentence. */
#include <math.h>

#include "base/text.h"
#include "doctor/evidence.h"

static const struct finding *first_of(const struct visit *visit, enum kind kind)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].kind == kind && !visit->findings[i].note)
            return &visit->findings[i];
    return NULL;
}

static const char *duration(const struct visit *visit, double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    unsigned i = 0;

    while (i < 3 && seconds < 2 * units[i].seconds)
        i++;
    return arena_print(visit->arena, "%.*f %s", seconds < 9.95, seconds / units[i].seconds,
                       units[i].name);
}

static const char *when_full(const struct visit *visit, const struct forecast *forecast)
{
    if (!forecast->known || forecast->seconds_high <= 0)
        return "";
    return arena_print(visit->arena, ", out of memory in about %s",
                       duration(visit, sqrt(forecast->seconds_low * forecast->seconds_high)));
}

static const char *grows(const struct visit *visit, const struct finding *finding,
                         const struct forecast *forecast)
{
    char count[TEXT_SIZE_MAX];
    const char *since = arena_print(
        visit->arena, "%s since %s %s", evidence_rate(visit, visit->growth.estimate),
        clock_tick_name(visit->clock.name), text_count(count, finding->since));

    if (!finding->evicted_nothing)
        return arena_print(visit->arena, "Yes: %s%s.", since, when_full(visit, forecast));
    return arena_print(visit->arena, "It grows: %s; nothing evicted in %s %ss%s.", since,
                       text_count(count, visit->series.ticks - finding->since + 1),
                       clock_tick_name(visit->clock.name),
                       when_full(visit, forecast));
}

static const char *undecided(const struct visit *visit, const struct finding *finding)
{
    char count[TEXT_SIZE_MAX], size[TEXT_SIZE_MAX];

    if (!finding)
        return "Not decided: too few steps were seen.";
    if (finding->more_steps == 0)
        return arena_print(visit->arena,
                           "Not decided: it may grow by %s per %s; there are no steps to judge by.",
                           text_size(size, (uint64_t)finding->rate.estimate),
                           clock_unit(&visit->clock));
    return arena_print(visit->arena,
                       "Not decided: it may grow by %s per %s; %s more %s are needed.",
                       text_size(size, (uint64_t)finding->rate.estimate), clock_unit(&visit->clock),
                       text_count(count, finding->more_steps),
                       visit->clock.id == CLOCK_model ? "models" : "steps");
}

static double lasted(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t end = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;

    return end > model->head.start_mono ? (double)(end - model->head.start_mono) / 1e9 : 0;
}

const char *evidence_answer(const struct visit *visit, enum kind verdict,
                            const struct forecast *forecast)
{
    const struct finding *finding = first_of(visit, verdict);
    char count[TEXT_SIZE_MAX];

    if (verdict == KIND_undecided)
        return undecided(visit, finding);
    if ((verdict == KIND_clean || !finding) && visit->clock.id == CLOCK_time)
        return arena_print(visit->arena, "No: nothing grew in %s.", duration(visit, lasted(visit)));
    if (verdict == KIND_clean || !finding)
        return arena_print(visit->arena, "No: nothing grew in %s %s.",
                           text_count(count, visit->series.ticks),
                           visit->clock.id == CLOCK_model ? "models" : "steps");
    if (verdict == KIND_retained || verdict == KIND_native || verdict == KIND_unbounded_cache)
        return grows(visit, finding, forecast);
    return arena_print(visit->arena, "No: %c%s", finding->summary[0] + ('a' - 'A'),
                       finding->summary + 1);
}
