/* enough.c - see enough.h. */
#include "doctor/judge/enough.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "doctor/facts/process_end.h"
#include "doctor/measure/collected.h"

#define SLICES_PER_SECOND 100

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

/* An interpreter ends like this after an uncaught error. The meaning of other programs' status
 * is not known. */
static bool has_failed(const struct visit *visit)
{
    uint32_t status;

    if (!process_end_status(visit->run, visit->model, &status))
        return false;
    return WIFSIGNALED((int)status) ? is_crash(WTERMSIG((int)status))
                                    : WEXITSTATUS((int)status) != 0 && visit->runtime->managed;
}

/* Seconds from the first judged step to the end of the run. */
static double judged_seconds(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t last = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;
    const uint64_t end = model->totals.time > last ? model->totals.time : last;
    uint64_t begin = model->head.start_mono;

    for (size_t i = 0; i < model->step_count && model->steps[i].last <= visit->clock.from; i++)
        begin = model->steps[i].time;
    return end > begin ? (double)(end - begin) / 1e9 : 0;
}

/* Slices of time and turns of a loop cannot separate loading from work. If an error ends the program
 * within the first minute, it is unknown whether the program would have released its memory. */
static bool was_cut_off(const struct visit *visit)
{
    const enum clock_id clock = visit->clock.id;

    return (clock == CLOCK_time || clock == CLOCK_loop || clock == CLOCK_outer) && has_failed(visit) &&
           judged_seconds(visit) < RULE_LOADING_MOST;
}

static struct fact few_steps(const struct visit *visit)
{
    const uint64_t ticks = visit->series.ticks;

    return FACT_OF(lacks_steps, ticks, ticks < RULE_FIRST_LOOK ? RULE_FIRST_LOOK - ticks : 1);
}

static bool seems_to_grow(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note && kind_status(visit->findings[i].kind) != 0)
            return true;
    return false;
}

/* A finding is held by an autograd graph or by a traceback. No program keeps these as a result on purpose. */
static bool keeps_graph_or_traceback(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *finding = &visit->findings[i];

        for (size_t k = 0; !finding->note && k < finding->holder_count; k++) {
            const struct holder_step *step = &finding->holder_path[k];

            if (step->name &&
                (text_is(step->name, "grad_fn") || text_is(step->name, "__traceback__")))
                return true;
        }
    }
    return false;
}

/* The frame is the first function of a thread of Python's module `threading`. */
static bool is_bootstrap(const struct model *model, const struct model_frame *frame)
{
    const char *name =
        frame->unit > 0 && frame->unit <= model->code_count ? model->code[frame->unit - 1].name : "";

    return text_is(name, "Thread._bootstrap") || text_is(name, "_bootstrap");
}

/* The first finding allocates in a thread that the program started. Such a thread works continuously, so
 * it does not build something once. */
static bool works_in_thread(const struct visit *visit)
{
    const struct model *model = visit->model;
    const struct model_frame *outermost = NULL;

    if (!seems_to_grow(visit) || visit->findings[0].site == 0)
        return false;
    for (const struct model_frame *frame = model_site_frame(model, visit->findings[0].site - 1); frame;
         frame = model_frame(model, frame->caller))
        outermost = frame->kind == FRAME_PYTHON ? frame : outermost;
    return outermost && is_bootstrap(model, outermost);
}

static bool repeats(const struct visit *visit)
{
    struct phases phases;

    phases_read(&phases, visit->model, visit->scratch);
    return phases_go_on(&phases);
}

/* For programs without steps. A Python program may import, build and fit, each once, so it needs more time
 * than others unless something in it repeats. */
static struct fact short_time(const struct visit *visit)
{
    const double least = visit->runtime->loads_first ? RULE_BUILDING_MOST
                                                     : (double)RULE_FIRST_SLICE / SLICES_PER_SECOND;
    const double seen = judged_seconds(visit);

    if (seen >= least ||
        (seen * SLICES_PER_SECOND >= RULE_FIRST_SLICE && (works_in_thread(visit) || repeats(visit))))
        return FACT_OF(none, 0);
    return (struct fact){.id = FACT_lacks_time, .rate = seen, .least = least};
}

struct fact enough_lacks(const struct visit *visit)
{
    const bool slices = visit->clock.id == CLOCK_time;

    if (was_cut_off(visit))
        return slices ? FACT_OF(lacks_end_of_loading, 0) : FACT_OF(lacks_end_of_loop, 0);
    if (slices)
        return short_time(visit);
    if (visit->clock.over && seems_to_grow(visit) && !keeps_graph_or_traceback(visit))
        return FACT_OF(lacks_after_loop, 0);
    return visit->series.ticks < RULE_CLOCK_FEW ? few_steps(visit) : FACT_OF(none, 0);
}
