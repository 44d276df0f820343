/* check.c - see check.h. */
#include "doctor/verbs/check.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/headline.h"
#include "doctor/run/unwatched.h"
#include "doctor/say/words.h"

struct work {
    const struct check_limits *limits;
    const struct diagnosis *diagnosis;
    struct arena *arena;
    struct check_line *lines; /* has room for most_lines() */
    size_t count;             /* lines so far */
};

const char *check_name(enum check_outcome outcome)
{
    return outcome == CHECK_PASSED   ? "passed"
           : outcome == CHECK_FAILED ? "failed"
                                     : "not-enough-evidence";
}

const char *check_about_name(enum check_about about)
{
    static const char *const names[] = {[CHECK_GROWTH] = "growth",
                                        [CHECK_PEAK] = "peak",
                                        [CHECK_EVIDENCE] = "evidence",
                                        [CHECK_ALLOWED] = "allowed",
                                        [CHECK_SUPPRESSION] = "suppression"};

    return names[about];
}

static void add(struct work *work, enum check_outcome outcome, enum check_about about, uint32_t pid,
                unsigned finding, const char *text)
{
    work->lines[work->count++] = (struct check_line){outcome, about, pid, finding, text};
}

/* ---- growth ---- */

/* The findings of one process. */
struct sums {
    struct interval leak;     /* sum of the rates of its leaks, without the allowed ones */
    size_t leaks;             /* number of leaks that are not allowed */
    size_t undecided;         /* number of undecided findings that may break the limit */
    size_t allowed;           /* number of allowed findings */
};

static bool counts(const struct finding *finding)
{
    return !finding->note && (finding_leaks(finding) || finding->kind == KIND_undecided);
}

static const char *named(struct work *work, const struct finding *finding)
{
    const struct place *where = words_where(finding);

    return where ? arena_print(work->arena, "%s at %s", kind_name(finding->kind),
                               words_place(work->arena, where))
                 : kind_name(finding->kind);
}

/* Converts a rate as this process measures it to bytes per unit of the limit; 0: impossible. */
static double factor_of(const struct work *work, const struct process_report *report)
{
    const bool by_time = report->clock == CLOCK_time;

    if (work->limits->unit == CHECK_AS_MEASURED || work->limits->growth <= 0)
        return 1;
    if (work->limits->unit == CHECK_PER_STEP)
        return by_time ? 0 : 1;
    if (by_time)
        return 1;
    return report->seconds > 0 ? (double)report->clock_count / report->seconds : 0;
}

static const char *limit_unit(const struct work *work, const struct process_report *report)
{
    return work->limits->unit == CHECK_PER_STEP     ? "step"
           : work->limits->unit == CHECK_PER_SECOND ? "second"
                                                    : clock_rate_name(report->clock);
}

static void check_finding(struct work *work, const struct process_report *report,
                            const struct finding *finding, struct sums *sums)
{
    const struct allow_rule *rule = allow_find(work->limits->allow, finding);
    const double limit = work->limits->growth, factor = factor_of(work, report);

    if (rule) {
        sums->allowed++;
        add(work, CHECK_PASSED, CHECK_ALLOWED, report->pid, finding->id,
            arena_print(work->arena, "%s is allowed by \"leak:%s\": %s", named(work, finding),
                        rule->pattern, rule->reason ? rule->reason : "its comment gives no reason"));
    } else if (finding->kind == KIND_undecided) {
        /* Even if it grows, it stays below the limit. The process is still undecided, and reported so. */
        if (limit > 0 && factor > 0 && finding->rate.high > 0 &&
            finding->rate.high * factor <= limit)
            return;
        sums->undecided++;
        add(work, CHECK_UNKNOWN, CHECK_EVIDENCE, report->pid, finding->id,
            arena_print(work->arena, "%s: %s", named(work, finding), finding->summary));
    } else {
        sums->leaks++;
        sums->leak.estimate += finding->rate.estimate * factor;
        sums->leak.low += finding->rate.low * factor;
        sums->leak.high += finding->rate.high * factor;
        if (limit <= 0)
            add(work, CHECK_FAILED, CHECK_GROWTH, report->pid, finding->id,
                arena_print(work->arena, "%s: %s", named(work, finding), finding->summary));
    }
}

static void check_growth_sum(struct work *work, const struct process_report *report,
                        const struct sums *sums)
{
    const double limit = work->limits->growth;
    const char *unit = limit_unit(work, report), *rate;
    char size[TEXT_SIZE_MAX];

    if (sums->leaks == 0 || limit <= 0)
        return;
    (void)text_size(size, (uint64_t)limit);
    if (factor_of(work, report) <= 0) {
        add(work, CHECK_UNKNOWN, CHECK_GROWTH, report->pid, 0,
            arena_print(work->arena,
                        "it grows, but the run has no steps for a limit per %s", unit));
        return;
    }
    rate = words_rate(work->arena, &sums->leak, unit);
    if (sums->leak.low > limit)
        add(work, CHECK_FAILED, CHECK_GROWTH, report->pid, 0,
            arena_print(work->arena, "grows by %s; the limit is %s", rate, size));
    else if (sums->leak.high > limit)
        add(work, CHECK_UNKNOWN, CHECK_GROWTH, report->pid, 0,
            arena_print(work->arena, "grows by %s; the limit of %s is within this range", rate, size));
    else
        add(work, CHECK_PASSED, CHECK_GROWTH, report->pid, 0,
            arena_print(work->arena, "grows by %s, within the limit of %s", rate, size));
}

/* Lists the findings of a sum that did not pass. */
static void name_leaks(struct work *work, const struct process_report *report, size_t at)
{
    const enum check_outcome outcome = work->lines[at].outcome;

    if (outcome == CHECK_PASSED || work->lines[at].about != CHECK_GROWTH)
        return;
    for (size_t i = 0; i < report->finding_count; i++) {
        const struct finding *finding = &report->findings[i];
        struct allow *allow = work->limits->allow;
        const struct allow_rule *rule;

        if (!counts(finding) || finding->kind == KIND_undecided)
            continue;
        rule = allow_find(allow, finding);
        if (rule)
            allow->rules[rule - allow->rules].used--;
        else
            add(work, outcome, CHECK_GROWTH, report->pid, finding->id,
                arena_print(work->arena, "%s: %s", named(work, finding), finding->summary));
    }
}

static void check_growth(struct work *work, const struct process_report *report)
{
    struct sums sums = {0};
    size_t before;

    for (size_t i = 0; i < report->finding_count; i++)
        if (counts(&report->findings[i]))
            check_finding(work, report, &report->findings[i], &sums);
    before = work->count;
    check_growth_sum(work, report, &sums);
    if (work->count > before)
        name_leaks(work, report, before);
    if (report->verdict == KIND_undecided && sums.undecided == 0 && sums.allowed == 0 &&
        !report->passed_over)
        add(work, CHECK_UNKNOWN, CHECK_EVIDENCE, report->pid, 0, report->answer);
}

/* ---- peak ---- */

static void check_peak(struct work *work, const struct process_report *report)
{
    char peak[TEXT_SIZE_MAX], limit[TEXT_SIZE_MAX];
    const char *where = "";

    if (work->limits->peak == 0)
        return;
    (void)text_size(peak, report->resident_peak);
    (void)text_size(limit, work->limits->peak);
    if (report->resident_peak == 0)
        add(work, CHECK_UNKNOWN, CHECK_PEAK, report->pid, 0, "its resident size was not measured");
    if (report->resident_peak <= work->limits->peak)
        return;
    if (report->peak_site_count > 0 && report->peak_sites[0].place_count > 0)
        where = arena_print(work->arena, "; most of the live memory was allocated at %s",
                            words_place(work->arena, report->peak_sites[0].places));
    add(work, CHECK_FAILED, CHECK_PEAK, report->pid, 0,
        arena_print(work->arena, "%s were resident at the peak; the limit is %s%s", peak, limit,
                    where));
}

/* ---- processes without a probe ---- */

/* Allowed leaks and growth below the limit do not make up for a process that was not watched. */
static void check_unwatched(struct work *work)
{
    const struct unwatched_process *unwatched = work->diagnosis->unwatched;

    if (unwatched)
        add(work, CHECK_UNKNOWN, CHECK_EVIDENCE, 0, 0, unwatched_words(unwatched, work->arena));
}

/* ---- the whole ---- */

static void check_rules(struct work *work)
{
    const struct allow *allow = work->limits->allow;

    for (size_t i = 0; allow && i < allow->count; i++) {
        const struct allow_rule *rule = &allow->rules[i];

        if (rule->used == 0)
            add(work, CHECK_PASSED, CHECK_SUPPRESSION, 0, 0,
                arena_print(work->arena, "%s:%u: \"leak:%s\" matched nothing in this run",
                            allow->name, rule->line, rule->pattern));
        if (!rule->reason)
            add(work, CHECK_PASSED, CHECK_SUPPRESSION, 0, 0,
                arena_print(work->arena,
                            "%s:%u: \"leak:%s\" has no reason; write it in a comment above",
                            allow->name, rule->line, rule->pattern));
    }
}

/* At most two lines per finding, three more per process, two per rule, and two for the run. */
static size_t most_lines(const struct diagnosis *d, const struct check_limits *limits)
{
    size_t most = 2 + (limits->allow ? 2 * limits->allow->count : 0);

    for (size_t i = 0; i < d->process_count; i++)
        most += 3 + 2 * d->processes[i].finding_count;
    return most;
}

static size_t rank(const struct check_line *line)
{
    return line->outcome == CHECK_FAILED ? 0 : line->outcome == CHECK_UNKNOWN ? 1 : 2;
}

static void sort_lines(struct check_line *lines, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct check_line moved = lines[i];
        size_t at = i;

        for (; at > 0 && rank(&lines[at - 1]) > rank(&moved); at--)
            lines[at] = lines[at - 1];
        lines[at] = moved;
    }
}

static const char *failure_of(const struct check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (check->lines[i].outcome == CHECK_FAILED && check->lines[i].about == CHECK_GROWTH)
            return "Failed: memory grows faster than the limit.";
    return "Failed: the peak is above the limit.";
}

static const char *answer_of(const struct check *check, const struct diagnosis *d,
                             const struct check_limits *limits)
{
    if (check->outcome == CHECK_FAILED)
        return failure_of(check);
    if (check->outcome == CHECK_UNKNOWN)
        return "Not enough evidence to say whether memory stays within the limits.";
    if (limits->growth > 0 || limits->peak > 0)
        return "Passed: memory stays within the limits.";
    return arena_print(d->arena, "Passed: nothing leaks%s.",
                       limits->allow ? " that is not allowed" : "");
}

int check_run(struct check *out, const struct diagnosis *d, const struct check_limits *limits,
              struct why *why)
{
    struct work work = {.limits = limits, .diagnosis = d, .arena = d->arena};

    *out = (struct check){.outcome = CHECK_PASSED};
    work.lines = arena_take(d->arena, most_lines(d, limits), sizeof(*work.lines));
    if (!work.lines)
        return fail(why, ERR_NOMEM, "no memory to check the run");
    for (size_t i = 0; i < d->process_count; i++) {
        check_growth(&work, &d->processes[i]);
        check_peak(&work, &d->processes[i]);
    }
    if (d->process_count == 0)
        add(&work, CHECK_UNKNOWN, CHECK_EVIDENCE, 0, 0, d->answer);
    check_unwatched(&work);
    check_rules(&work);
    sort_lines(work.lines, work.count);
    if (work.count > 0)
        out->outcome = work.lines[0].outcome;
    out->lines = work.lines;
    out->count = work.count;
    out->answer = answer_of(out, d, limits);
    return arena_failed(d->arena) ? fail(why, ERR_NOMEM, "no memory to check the run") : 0;
}
