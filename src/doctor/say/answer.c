/* answer.c - "Does it leak?", answered in one sentence. */
#include <math.h>

#include "base/text.h"
#include "doctor/say/sentences.h"

static const struct finding *first_of(const struct process_report *report, enum kind kind)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].kind == kind && !report->findings[i].note)
            return &report->findings[i];
    return NULL;
}

static const char *duration(const struct visit *visit, double seconds)
{
    char out[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_seconds(out, seconds));
}

static const char *when_full(const struct visit *visit, const struct forecast *forecast)
{
    static const char *const ended[] = {[RAN_OUT_PROCESS] = "; it was killed when memory ran out",
                                        [RAN_OUT_HEAP] = "; it ended when the JavaScript heap was full",
                                        [RAN_OUT_RUN] = "; the run ended when memory ran out"};

    if (forecast->ran_out != RAN_OUT_NOT)
        return ended[forecast->ran_out];
    if (!forecast->known || forecast->seconds_high <= 0)
        return "";
    return arena_print(visit->arena, ". Out of memory in about %s",
                       duration(visit, sqrt(forecast->seconds_low * forecast->seconds_high)));
}

/* The rate of the answer is the sum of the rates of the findings that it stands above. */
static double leaks(const struct process_report *report, enum memory memory)
{
    double rate = 0;

    for (size_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].note && report->findings[i].memory == memory &&
            finding_leaks(&report->findings[i]))
            rate += report->findings[i].rate.estimate;
    return rate;
}

/* "memory grows by 1.0 KB per step, and device memory by 10.0 KB" */
static const char *amounts(const struct visit *visit, const struct process_report *report)
{
    const double host = leaks(report, MEMORY_HOST), device = leaks(report, MEMORY_DEVICE);
    char size[TEXT_SIZE_MAX], more[TEXT_SIZE_MAX];

    (void)text_size(size, (uint64_t)((host > 0 ? host : device) + 0.5));
    if (host > 0 && device > 0)
        return arena_print(visit->arena, "memory grows by %s per %s, and device memory by %s", size,
                           clock_rate_name(visit->clock.id), text_size(more, (uint64_t)(device + 0.5)));
    return arena_print(visit->arena, "%s grows by %s per %s", host > 0 ? "memory" : "device memory", size,
                       clock_rate_name(visit->clock.id));
}

/* ", in h5py 3.16.0, not in your code", if nothing else leaks. */
static const char *in_library(const struct visit *visit, const struct process_report *report,
                              const struct finding *first)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].note && finding_leaks(&report->findings[i]) &&
            !(report->findings[i].library && text_same(report->findings[i].library, first->library)))
            return "";
    return first->library ? arena_print(visit->arena, ", in %s, not in your code", first->library) : "";
}

static const char *grows(const struct visit *visit, const struct process_report *report,
                         const struct finding *finding)
{
    const struct forecast *forecast = &report->forecast;
    char count[TEXT_SIZE_MAX];
    const char *since =
        arena_print(visit->arena, "%s since %s %s", amounts(visit, report), clock_tick_name(visit->clock.id),
                    text_count(count, finding->since));

    if (!finding->evicted_nothing)
        return arena_print(visit->arena, "Yes: %s%s%s.", since, in_library(visit, report, finding),
                           when_full(visit, forecast));
    return arena_print(visit->arena, "Yes, very likely: %s, and nothing was released in %s%s.", since,
                       say_ticks(visit, visit->series.ticks - finding->since + 1),
                       when_full(visit, forecast));
}

/* Slices of time are nothing that a user could count. */
static const char *needed(const struct visit *visit, uint64_t ticks)
{
    return visit->clock.id == CLOCK_time && visit->clock.seconds > 0
               ? duration(visit, (double)ticks * visit->clock.seconds)
               : say_ticks(visit, ticks);
}

static double lasted(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t end = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;

    return end > model->head.start_mono ? (double)(end - model->head.start_mono) / 1e9 : 0;
}

/* "600 steps", or how long it ran. */
static const char *seen(const struct visit *visit)
{
    return visit->clock.id == CLOCK_time ? duration(visit, lasted(visit))
                                         : say_ticks(visit, visit->series.ticks);
}

static const char *undecided(const struct visit *visit, const struct finding *finding)
{
    char size[TEXT_SIZE_MAX];

    if (!finding)
        return "Too early to say: too few steps were seen.";
    if (finding->headline.id == FACT_kept_so_far) /* too little for a rate */
        return arena_print(visit->arena, "Too early to say: only %s %s seen; %s more are needed.",
                           seen(visit), visit->series.ticks == 1 ? "was" : "were",
                           needed(visit, finding->more_steps));
    if (finding->more_steps == 0)
        return arena_print(visit->arena,
                           "Not decided: memory may grow by %s per %s, but there are no steps to judge by.",
                           text_size(size, (uint64_t)finding->rate.estimate),
                           clock_rate_name(visit->clock.id));
    return arena_print(visit->arena,
                       "Too early to say: memory may grow by %s per %s; %s more %s needed.",
                       text_size(size, (uint64_t)finding->rate.estimate), clock_rate_name(visit->clock.id),
                       needed(visit, finding->more_steps), finding->more_steps == 1 ? "is" : "are");
}

/* Of all lines that wait: each collection would release them together. */
static const char *endless(const struct visit *visit, const struct process_report *report,
                           const struct finding *first)
{
    char size[TEXT_SIZE_MAX], count[TEXT_SIZE_MAX];

    return arena_print(visit->arena,
                       "Yes: garbage grows by %s per %s since %s %s, without end: Python's collector is "
                       "switched off.",
                       text_size(size, (uint64_t)(leaks(report, MEMORY_HOST) + 0.5)),
                       clock_rate_name(visit->clock.id),
                       clock_tick_name(visit->clock.id), text_count(count, first->since));
}

const char *say_answer(const struct visit *visit, const struct process_report *report)
{
    const enum kind verdict = report->verdict;
    const struct finding *finding = first_of(report, verdict);

    if (visit->lacks.id != FACT_none)
        return arena_print(visit->arena, "Too early to say: %s.", sentence_of(visit, NULL, &visit->lacks));
    if (verdict == KIND_undecided && report->device_unmeasured && !finding)
        return arena_print(visit->arena, "Host memory: no leak in %s. Device memory: not measured.",
                           seen(visit));
    if (verdict == KIND_undecided)
        return undecided(visit, finding);
    if (verdict == KIND_clean || !finding)
        return arena_print(visit->arena, "No: nothing grew in %s.", seen(visit));
    if (verdict == KIND_retained || verdict == KIND_native || verdict == KIND_unbounded_cache)
        return grows(visit, report, finding);
    if (finding->endless)
        return endless(visit, report, finding);
    return arena_print(visit->arena, "No: %c%s", finding->summary[0] + ('a' - 'A'),
                       finding->summary + 1);
}
