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
    static const char *const ended[] = {[RAN_OUT_PROCESS] = "; it was killed for want of memory",
                                        [RAN_OUT_HEAP] = "; it ended when the JavaScript heap was full",
                                        [RAN_OUT_RUN] = "; the run ended for want of memory"};

    if (forecast->ran_out != RAN_OUT_NOT)
        return ended[forecast->ran_out];
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
    return arena_print(visit->arena, "It grows: %s; nothing evicted in %s%s.", since,
                       evidence_ticks(visit, visit->series.ticks - finding->since + 1),
                       when_full(visit, forecast));
}

/* Slices of time are nothing that a user could count. */
static const char *needed(const struct visit *visit, uint64_t ticks)
{
    return visit->clock.id == CLOCK_time && visit->clock.seconds > 0
               ? duration(visit, (double)ticks * visit->clock.seconds)
               : evidence_ticks(visit, ticks);
}

static const char *undecided(const struct visit *visit, const struct finding *finding)
{
    char size[TEXT_SIZE_MAX];

    if (!finding)
        return "Not decided: too few steps were seen.";
    if (finding->more_steps == 0)
        return arena_print(visit->arena,
                           "Not decided: it may grow by %s per %s; there are no steps to judge by.",
                           text_size(size, (uint64_t)finding->rate.estimate),
                           clock_unit(&visit->clock));
    return arena_print(visit->arena,
                       "Not decided: it may grow by %s per %s; %s more %s needed.",
                       text_size(size, (uint64_t)finding->rate.estimate), clock_unit(&visit->clock),
                       needed(visit, finding->more_steps), finding->more_steps == 1 ? "is" : "are");
}

static double lasted(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t end = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;

    return end > model->head.start_mono ? (double)(end - model->head.start_mono) / 1e9 : 0;
}

/* Of all lines that wait: each collection would release them together. */
static const char *endless(const struct visit *visit, const struct finding *first)
{
    double rate = 0;
    char size[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];

    for (size_t i = 0; i < visit->finding_count; i++)
        if (visit->findings[i].endless && !visit->findings[i].note)
            rate += visit->findings[i].rate.estimate;
    return arena_print(visit->arena,
                       "It grows: %s per %s since %s %s, because Python's collector is switched off; a "
                       "collection releases it.",
                       text_size(size, (uint64_t)rate), clock_unit(&visit->clock),
                       clock_tick_name(visit->clock.name), text_count(count, first->since));
}

const char *evidence_answer(const struct visit *visit, enum kind verdict,
                            const struct forecast *forecast)
{
    const struct finding *finding = first_of(visit, verdict);

    if (verdict == KIND_undecided)
        return undecided(visit, finding);
    if ((verdict == KIND_clean || !finding) && visit->clock.id == CLOCK_time)
        return arena_print(visit->arena, "No: nothing grew in %s.", duration(visit, lasted(visit)));
    if (verdict == KIND_clean || !finding)
        return arena_print(visit->arena, "No: nothing grew in %s.",
                           evidence_ticks(visit, visit->series.ticks));
    if (verdict == KIND_retained || verdict == KIND_native || verdict == KIND_unbounded_cache)
        return grows(visit, finding, forecast);
    if (finding->endless)
        return endless(visit, finding);
    return arena_print(visit->arena, "No: %c%s", finding->summary[0] + ('a' - 'A'),
                       finding->summary + 1);
}
