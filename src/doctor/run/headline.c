/* headline.c - see headline.h. */
#include "doctor/run/headline.h"

#include "base/text.h"
#include "doctor/facts/rules.h"
#include "doctor/facts/ticks.h"

enum weight { NO_EVIDENCE, NOTHING_WRONG, DOUBT, LEAK };

static bool has_steps(const struct process_report *report)
{
    return report->clock != CLOCK_time && report->clock != CLOCK_NONE;
}

/* Undecided along slices of time, and another lived more than twice as long and was decided. */
static bool is_brief(const struct diagnosis *diagnosis, const struct process_report *report)
{
    if (report->verdict != KIND_undecided || has_steps(report))
        return false;
    for (size_t i = 0; i < diagnosis->process_count; i++)
        if (diagnosis->processes[i].verdict != KIND_undecided &&
            diagnosis->processes[i].seconds > 2 * report->seconds)
            return true;
    return false;
}

/* Little was seen of it, but it took much memory in that time. So "nothing grew" would be wrong. */
static bool took_much(const struct process_report *report)
{
    const double ticks = has_steps(report) ? (double)report->clock_count : report->seconds;

    for (size_t i = 0; i < report->finding_count; i++)
        if (kind_status(report->findings[i].kind) != 0 &&
            report->findings[i].rate.estimate * ticks >= (double)RULE_GAP_BYTES)
            return true;
    return false;
}

static enum weight weigh(const struct diagnosis *diagnosis, const struct process_report *report)
{
    if (kind_status(report->verdict) == 1 || report->endless)
        return LEAK;
    if (report->early || is_brief(diagnosis, report))
        return took_much(report) ? DOUBT : NO_EVIDENCE;
    return report->verdict == KIND_undecided ? DOUBT : NOTHING_WRONG;
}

static double rate_of(const struct process_report *report)
{
    double sum = 0;

    for (size_t i = 0; i < report->finding_count; i++)
        sum += report->findings[i].note ? 0 : report->findings[i].rate.estimate;
    return sum;
}

/* Of two with the same weight. */
static bool says_more(const struct process_report *report, const struct process_report *than,
                      enum weight weight)
{
    if (weight == LEAK && report->verdict != than->verdict)
        return report->verdict > than->verdict;
    if (weight >= DOUBT)
        return rate_of(report) > rate_of(than);
    if (has_steps(report) != has_steps(than))
        return has_steps(report);
    if (weight == NO_EVIDENCE && !has_steps(report)) /* a shell has little memory, however long it lives */
        return report->peak_bytes > than->peak_bytes;
    if (report->verdict != than->verdict)
        return report->verdict > than->verdict;
    if (report->clock_count != than->clock_count)
        return report->clock_count > than->clock_count;
    return report->live_bytes > than->live_bytes;
}

static bool runs(const struct process_report *report, const char *program)
{
    return !program || !report->program || text_is(report->program, program);
}

const struct process_report *headline_of_program(const struct diagnosis *diagnosis, const char *program)
{
    const struct process_report *best = NULL;
    enum weight most = NO_EVIDENCE;

    for (size_t i = 0; i < diagnosis->process_count; i++) {
        const struct process_report *report = &diagnosis->processes[i];
        const enum weight weight = weigh(diagnosis, report);

        if (!runs(report, program))
            continue;
        if (best && (weight < most || (weight == most && !says_more(report, best, weight))))
            continue;
        best = report;
        most = weight;
    }
    return best;
}

const struct process_report *headline_process(const struct diagnosis *diagnosis)
{
    return headline_of_program(diagnosis, NULL);
}

/* Shells and wrappers that start a program come before it: it had ended when `later` began, or its process
 * became another program. */
static bool is_launcher(const struct process_report *report, const struct process_report *later)
{
    return report->ending == ENDING_EXEC || (report->end_time > 0 && report->end_time <= later->start_time);
}

static bool is_passed_over(const struct diagnosis *diagnosis, const struct process_report *report,
                           const struct process_report *best)
{
    return best != report && weigh(diagnosis, report) == NO_EVIDENCE &&
           (weigh(diagnosis, best) != NO_EVIDENCE || is_launcher(report, best));
}

void headline_settle(struct diagnosis *diagnosis)
{
    const struct process_report *best = headline_process(diagnosis);

    for (size_t i = 0; i < diagnosis->process_count; i++) {
        /* They are in the diagnosis's arena, so they are ours to change. */
        struct process_report *report = (struct process_report *)(uintptr_t)&diagnosis->processes[i];

        report->speaks = report == best;
        report->passed_over = is_passed_over(diagnosis, report, best);
        report->launcher = report->passed_over && is_launcher(report, best);
    }
}
