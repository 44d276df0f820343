/* enough.c - see enough.h. */
#include "doctor/enough.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "doctor/collected.h"
#include "doctor/evidence.h"
#include "doctor/facts.h"

#define SLICES_PER_SECOND 100

static bool is_crash(int number)
{
    return number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL;
}

static bool is_interpreted(const struct model *model)
{
    return model->code_count > 0 || model->script_count > 0;
}

/* An interpreter ends so when nobody caught an error. What other programs mean by a status is not known. */
static bool has_failed(const struct visit *visit)
{
    uint32_t status;

    if (!facts_status(visit->run, visit->model, &status))
        return false;
    return WIFSIGNALED((int)status) ? is_crash(WTERMSIG((int)status))
                                    : WEXITSTATUS((int)status) != 0 && is_interpreted(visit->model);
}

static double lasted(const struct visit *visit)
{
    const struct model *model = visit->model;
    const uint64_t last = model->step_count > 0 ? model->steps[model->step_count - 1].time : 0;
    const uint64_t end = model->totals.time > last ? model->totals.time : last;
    uint64_t begin = model->head.start_mono;

    for (size_t i = 0; i < model->step_count && model->steps[i].last <= visit->clock.from; i++)
        begin = model->steps[i].time;
    return end > begin ? (double)(end - begin) / 1e9 : 0;
}

/* Slices of time and turns of a loop do not tell loading from working: where an error cut them off within
 * the first minute, nobody knows what the program was going to do with what it had. */
static bool was_cut_off(const struct visit *visit)
{
    const enum clock_id clock = visit->clock.id;

    return (clock == CLOCK_time || clock == CLOCK_loop || clock == CLOCK_outer) && has_failed(visit) &&
           lasted(visit) < RULE_LOADING_MOST;
}

static const char *few_steps(const struct visit *visit)
{
    const uint64_t ticks = visit->series.ticks;
    const uint64_t more = ticks < RULE_FIRST_LOOK ? RULE_FIRST_LOOK - ticks : 1;
    char need[TEXT_SIZE_MAX];

    if (ticks == 0)
        return "no step was seen";
    return arena_print(visit->arena, "%s %s seen; %s more are needed", evidence_ticks(visit, ticks),
                       ticks == 1 ? "was" : "were", text_count(need, more));
}

static bool seems_to_grow(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++)
        if (!visit->findings[i].note && kind_status(visit->findings[i].kind) != 0)
            return true;
    return false;
}

/* Nobody keeps a graph, or the variables of functions that have failed, as a result: it came along. */
static bool keeps_more(const struct visit *visit)
{
    for (size_t i = 0; i < visit->finding_count; i++) {
        const struct finding *finding = &visit->findings[i];

        for (size_t k = 0; !finding->note && k < finding->holder_count; k++) {
            const struct holder_step *step = &finding->holder_path[k];

            if (step->name &&
                (strcmp(step->name, "grad_fn") == 0 || strcmp(step->name, "__traceback__") == 0))
                return true;
        }
    }
    return false;
}

/* Where every thread of Python's module `threading` begins. */
static bool is_bootstrap(const struct model *model, const struct model_frame *frame)
{
    const char *name =
        frame->unit > 0 && frame->unit <= model->code_count ? model->code[frame->unit - 1].name : "";

    return strcmp(name, "Thread._bootstrap") == 0 || strcmp(name, "_bootstrap") == 0;
}

/* A thread of its own is there for work that goes on: what it keeps is not what the program builds once. */
static bool works_in_thread(const struct visit *visit)
{
    const struct model *model = visit->model;
    uint32_t frame = 0;

    if (!seems_to_grow(visit) || visit->findings[0].site == 0)
        return false;
    for (uint32_t at = model->sites[visit->findings[0].site - 1].stack; at > 0 && at <= model->frame_count;
         at = model->frames[at - 1].caller)
        frame = model->frames[at - 1].kind == FRAME_PYTHON ? at : frame;
    return frame > 0 && is_bootstrap(model, &model->frames[frame - 1]);
}

static bool repeats(const struct visit *visit)
{
    struct phases phases;

    phases_read(&phases, visit->model, visit->scratch);
    return phases_go_on(&phases);
}

/* A Python program that makes no steps imports, builds and fits, each once: nothing that repeats was seen. */
static const char *short_time(const struct visit *visit)
{
    const double least = visit->model->code_count > 0 ? RULE_BUILDING_MOST
                                                      : (double)RULE_FIRST_SLICE / SLICES_PER_SECOND;
    const double seen = lasted(visit);

    if (seen >= least ||
        (seen * SLICES_PER_SECOND >= RULE_FIRST_SLICE && (works_in_thread(visit) || repeats(visit))))
        return NULL;
    return arena_print(visit->arena, "no step was seen, and %.*f s of time are too few; %.*f s are needed",
                       seen < 10, seen, least < 10, least);
}

const char *enough_lacks(const struct visit *visit)
{
    const bool slices = visit->clock.id == CLOCK_time;

    if (was_cut_off(visit))
        return slices ? "the program failed before any step was seen"
                      : "the program failed while this loop was still turning, and loading looks the same";
    if (slices)
        return short_time(visit);
    if (visit->clock.over && seems_to_grow(visit) && !keeps_more(visit))
        return "the loop that grew is over, and what followed it was too short to judge by";
    return visit->series.ticks < RULE_CLOCK_FEW ? few_steps(visit) : NULL;
}
