/* compare.c - see compare.h. */
#include "doctor/verbs/compare.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/detect/power.h"
#include "doctor/facts/rules.h"
#include "doctor/run/headline.h"
#include "doctor/say/words.h"

/* Sites that the rules test at the same time. The steps needed grow only by the logarithm of it. */
#define SITES_ASSUMED 100

/* A finding; those of several processes at the same line are one item. */
struct item {
    const struct process_report *report; /* the first process that has it */
    const struct finding *finding;
    bool matched; /* the other run has it, too */
};

struct items {
    struct item *list; /* in the arena */
    size_t count;
};

struct work {
    const struct diagnosis *before, *after;
    const struct items *first, *second; /* the findings of `before` and of `after` */
    struct arena *arena;
    struct compared *out; /* has room for all findings of both */
    size_t count;         /* results so far */
};

const char *change_name(enum change change)
{
    static const char *const names[] = {
        [CHANGE_NEW] = "new",     [CHANGE_WORSE] = "worse",   [CHANGE_UNPROVEN] = "unproven",
        [CHANGE_FIXED] = "fixed", [CHANGE_BETTER] = "better", [CHANGE_SAME] = "same",
    };

    return names[change];
}

/* ---- which findings are the same ---- */

/* Kinds that more evidence could turn into each other: leaks of all kinds, and undecided. */
static bool is_leak(enum kind kind)
{
    return kind_status(kind) == 1;
}

static bool same_sort(enum kind a, enum kind b)
{
    const bool first = is_leak(a) || a == KIND_undecided,
               second = is_leak(b) || b == KIND_undecided;

    return first == second && (first || a == b);
}

static bool same_finding(const struct finding *a, const struct finding *b, bool line)
{
    const struct place *one = a->allocated_at, *other = b->allocated_at;

    if (!same_sort(a->kind, b->kind) || (a->allocated_count == 0) != (b->allocated_count == 0))
        return false;
    if (a->allocated_count == 0)
        return true;
    return text_same(one->function, other->function) &&
           text_same(text_base_name(one->file), text_base_name(other->file)) &&
           (!line || one->line == other->line);
}

static bool matters(const struct finding *finding)
{
    return !finding->note && finding->kind != KIND_plateau && finding->kind != KIND_clean;
}

static bool listed(const struct items *items, const struct finding *finding)
{
    for (size_t i = 0; i < items->count; i++)
        if (same_finding(items->list[i].finding, finding, true))
            return true;
    return false;
}

static struct items gather(const struct diagnosis *d, struct arena *arena)
{
    struct items items = {0};
    size_t most = 1;

    for (size_t i = 0; i < d->process_count; i++)
        most += d->processes[i].finding_count;
    items.list = arena_take(arena, most, sizeof(*items.list));
    for (size_t i = 0; items.list && i < d->process_count; i++)
        for (size_t k = 0; k < d->processes[i].finding_count; k++) {
            const struct finding *finding = &d->processes[i].findings[k];

            if (matters(finding) && !listed(&items, finding))
                items.list[items.count++] = (struct item){&d->processes[i], finding, false};
        }
    return items;
}

static struct item *partner(const struct items *items, const struct finding *finding, bool line)
{
    for (size_t i = 0; i < items->count; i++)
        if (!items->list[i].matched && same_finding(items->list[i].finding, finding, line))
            return &items->list[i];
    return NULL;
}

/* After a rebuild, the addresses of an older run have no names and lines any more. */
static bool is_nameless(const struct finding *finding)
{
    return finding->allocated_count > 0 && !finding->allocated_at->file;
}

/* May an unmatched finding of the other run be this one under another name? */
static bool may_be_renamed(const struct items *others, const struct finding *finding)
{
    for (size_t i = 0; i < others->count; i++) {
        const struct item *other = &others->list[i];

        if (!other->matched && same_sort(other->finding->kind, finding->kind) &&
            (is_nameless(finding) || is_nameless(other->finding)))
            return true;
    }
    return false;
}

/* ---- words ---- */

static const char *named(const struct work *work, const struct finding *finding)
{
    const struct place *where = words_where(finding);

    return where ? arena_print(work->arena, "%s at %s", kind_name(finding->kind),
                               words_place(work->arena, where))
                 : kind_name(finding->kind);
}

static struct compared *add(struct work *work, enum change change, const struct item *before,
                            const struct item *after)
{
    struct compared *out = &work->out[work->count++];

    *out = (struct compared){.change = change,
                             .before = before ? before->finding : NULL,
                             .after = after ? after->finding : NULL,
                             .unit = clock_rate_field((after ? after : before)->report->clock)};
    return out;
}

static const char *rate_of(const struct work *work, const struct item *item)
{
    return words_rate(work->arena, &item->finding->rate, clock_rate_name(item->report->clock));
}

/* ---- in both ---- */

static void compare_pair(struct work *work, const struct item *before, const struct item *after)
{
    const struct interval *first = &before->finding->rate, *second = &after->finding->rate;
    const bool comparable = before->report->clock == after->report->clock;
    const bool was = before->finding->kind == KIND_undecided,
               is = after->finding->kind == KIND_undecided;
    enum change change = CHANGE_SAME;
    const char *says = comparable ? "grows as before" : "is still there; the clocks differ";
    struct compared *out;

    if (is && !was) {
        change = CHANGE_UNPROVEN;
        says = "was found before and is undecided now";
    } else if (was && !is) {
        change = CHANGE_NEW;
        says = "was undecided before and is found now";
    } else if (comparable && second->low > first->high) {
        change = CHANGE_WORSE;
        says = "grows faster";
    } else if (comparable && second->high < first->low) {
        change = CHANGE_BETTER;
        says = "grows more slowly";
    }
    out = add(work, change, before, after);
    out->text = arena_print(work->arena, "%s %s: %s before, %s now", named(work, after->finding),
                            says, rate_of(work, before), rate_of(work, after));
}

/* ---- only before ---- */

/* The process of the second run that would have shown it: the longest one of the same program. */
static const struct process_report *counterpart(const struct work *work,
                                                const struct process_report *report)
{
    const struct process_report *best = NULL;

    for (size_t i = 0; i < work->after->process_count; i++) {
        const struct process_report *one = &work->after->processes[i];
        const bool program = text_same(text_base_name(one->program), text_base_name(report->program));

        if ((program || work->after->process_count == 1) &&
            (!best || one->clock_count > best->clock_count))
            best = one;
    }
    return best;
}

/* Steps after which the rules find a leak like this one; at most as many as the first run had. */
static uint64_t steps_needed(const struct item *item)
{
    const struct finding *finding = item->finding;
    const uint64_t had = item->report->clock_count;
    const uint64_t first =
        item->report->clock == CLOCK_time ? RULE_FIRST_SLICE : RULE_FIRST_LOOK;
    const double ticks = had > finding->since ? (double)(had - finding->since) : 1;
    const double blocks = (double)finding->live_blocks / ticks;
    uint64_t need = power_more(blocks, fmin(1, blocks), SITES_ASSUMED, 0);

    need = finding->since + (need > first ? need : first);
    return need < had || had == 0 ? need : had;
}

static const char *doubt(const struct work *work, const struct item *item,
                         const struct process_report *after, uint64_t needed)
{
    char seen[TEXT_SIZE_MAX], need[TEXT_SIZE_MAX];

    if (may_be_renamed(work->second, item->finding))
        return "its function has no name now (was the program rebuilt without symbols?), and "
               "the second run has another finding";
    if (!after)
        return "its program did not run in the second run";
    if (item->report->clock != after->clock)
        return arena_print(work->arena, "the second run was judged by another clock (%s, not %s)",
                           clock_name_shown(after->clock), clock_name_shown(item->report->clock));
    if (after->clock_count < needed)
        return arena_print(work->arena, "the second run has %s %s, and %s are needed to show it",
                           text_count(seen, after->clock_count),
                           clock_ticks_name(after->clock, after->clock_count), text_count(need, needed));
    if (after->verdict == KIND_undecided)
        return "the second run is undecided";
    return NULL;
}

static void compare_missing(struct work *work, const struct item *item)
{
    const struct process_report *after = counterpart(work, item->report);
    const uint64_t needed = steps_needed(item);
    const char *why = doubt(work, item, after, needed);
    struct compared *out;
    char seen[TEXT_SIZE_MAX], need[TEXT_SIZE_MAX];

    if (item->finding->kind == KIND_undecided)
        return; /* it was only suspected */
    out = add(work, why ? CHANGE_UNPROVEN : CHANGE_FIXED, item, NULL);
    out->needed = needed;
    if (why)
        out->text =
            arena_print(work->arena, "%s was not found again, but that proves nothing: %s",
                        named(work, item->finding), why);
    else
        out->text = arena_print(
            work->arena, "%s: %s before, nothing in %s %s now (%s would have shown it)",
            named(work, item->finding), rate_of(work, item),
            text_count(seen, after->clock_count), clock_ticks_name(after->clock, after->clock_count),
            text_count(need, needed));
}

/* ---- only now ---- */

static void compare_new(struct work *work, const struct item *item)
{
    const bool renamed = may_be_renamed(work->first, item->finding);
    const bool sure = item->finding->kind != KIND_undecided && !renamed;
    struct compared *out = add(work, sure ? CHANGE_NEW : CHANGE_UNPROVEN, NULL, item);

    out->text =
        arena_print(work->arena, "%s: %s%s", named(work, item->finding), item->finding->summary,
                    renamed ? " It may be one of the earlier findings." : "");
}

/* ---- the whole ---- */

static struct compared_side side_of(const struct diagnosis *d)
{
    const struct process_report *speaker = headline_process(d);
    struct compared_side side = {.verdict = d->verdict,
                                 .answer = d->answer,
                                 .clock = speaker ? speaker->clock : CLOCK_NONE,
                                 .steps = speaker ? speaker->clock_count : 0};

    for (size_t i = 0; i < d->process_count; i++) {
        const struct process_report *report = &d->processes[i];

        if (report->resident_peak > side.resident_peak)
            side.resident_peak = report->resident_peak;
        for (size_t k = 0; k < report->finding_count; k++)
            if (is_leak(report->findings[k].kind) && !report->findings[k].note) {
                side.leak.estimate += report->findings[k].rate.estimate;
                side.leak.low += report->findings[k].rate.low;
                side.leak.high += report->findings[k].rate.high;
            }
    }
    return side;
}

static void sort_changes(struct compared *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct compared moved = list[i];
        size_t at = i;

        for (; at > 0 && list[at - 1].change > moved.change; at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

static void conclude(struct comparison *out, struct arena *arena)
{
    size_t counts[CHANGE_SAME + 1] = {0};
    bool leaks = false;

    for (size_t i = 0; i < out->count; i++) {
        const struct compared *one = &out->findings[i];

        counts[one->change]++;
        leaks |= one->change <= CHANGE_WORSE && is_leak(one->after->kind);
    }
    out->status = leaks                                                                 ? 1
                  : counts[CHANGE_UNPROVEN] > 0 || out->after.verdict == KIND_undecided ? 3
                                                                                        : 0;
    if (out->count == 0)
        out->answer = out->status == 3
                          ? "Nothing was found before, and the second run is undecided."
                          : "Nothing was found in either run.";
    else
        out->answer =
            arena_print(arena,
                        "%zu fixed, %zu new, %zu worse, %zu better, %zu the same, "
                        "%zu unproven.",
                        counts[CHANGE_FIXED], counts[CHANGE_NEW], counts[CHANGE_WORSE],
                        counts[CHANGE_BETTER], counts[CHANGE_SAME], counts[CHANGE_UNPROVEN]);
}

static void match(struct work *work, struct items *first, struct items *second)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < first->count; i++) {
            struct item *mine = &first->list[i];
            struct item *other = mine->matched ? NULL : partner(second, mine->finding, pass == 0);

            if (other) {
                mine->matched = other->matched = true;
                compare_pair(work, mine, other);
            }
        }
    for (size_t i = 0; i < first->count; i++)
        if (!first->list[i].matched)
            compare_missing(work, &first->list[i]);
    for (size_t i = 0; i < second->count; i++)
        if (!second->list[i].matched)
            compare_new(work, &second->list[i]);
}

int compare_runs(struct comparison *out, const struct diagnosis *before,
                 const struct diagnosis *after, struct why *why)
{
    struct work work = {.before = before, .after = after, .arena = after->arena};
    struct items first = gather(before, work.arena), second = gather(after, work.arena);

    *out = (struct comparison){.before = side_of(before), .after = side_of(after)};
    work.out = arena_take(work.arena, first.count + second.count + 1, sizeof(*work.out));
    if (!first.list || !second.list || !work.out)
        return fail(why, ERR_NOMEM, "no memory to compare two runs");
    work.first = &first;
    work.second = &second;
    match(&work, &first, &second);
    sort_changes(work.out, work.count);
    out->findings = work.out;
    out->count = work.count;
    conclude(out, work.arena);
    return arena_failed(work.arena) ? fail(why, ERR_NOMEM, "no memory to compare two runs") : 0;
}
