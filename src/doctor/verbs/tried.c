/* tried.c - see tried.h. */
#include "doctor/verbs/tried.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "doctor/measure/clock.h"
#include "doctor/run/headline.h"
#include "ledger/mailbox.h"

#define LESS_SHARE 0.5 /* a rate or peak counts as less below this share of the other run's */

/* ---- the table ---- */

static const struct try_remedy remedies[] = {
#define TRY(spelling, environment, request, says) {spelling, environment, request, says},
#include "doctor/say/remedies_try.def"
#undef TRY
};

#define REMEDIES (sizeof(remedies) / sizeof(remedies[0]))

const struct try_remedy *try_find(const char *name)
{
    for (size_t i = 0; i < REMEDIES; i++)
        if (strcmp(remedies[i].name, name) == 0)
            return &remedies[i];
    return NULL;
}

const char *try_names(char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < REMEDIES && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", remedies[i].name);
    return text;
}

const char *tried_name(enum tried_conclusion conclusion)
{
    static const char *const names[] = {
        [TRIED_GONE] = "gone",
        [TRIED_LESS] = "less",
        [TRIED_STILL] = "still-there",
        [TRIED_NOTHING] = "nothing-to-remedy",
        [TRIED_INCOMPARABLE] = "not-comparable",
    };

    return names[conclusion];
}

/* ---- what is compared ---- */

static struct tried_side side_of(const struct process_report *report)
{
    struct tried_side side = {.verdict = KIND_undecided, .clock = CLOCK_NONE};

    if (!report)
        return side;
    side.verdict = report->verdict;
    side.clock = report->clock;
    side.steps = report->clock_count;
    side.resident_bytes = report->resident_bytes;
    side.resident_peak = report->resident_peak;
    for (size_t i = 0; i < report->finding_count; i++)
        if (!report->findings[i].note)
            side.rate += report->findings[i].rate.estimate;
    return side;
}

/* The same kind at the same line. Of kinds without a line, a process has one finding at most. */
static bool same_finding(const struct finding *a, const struct finding *b)
{
    if (a->kind != b->kind || a->note || b->note)
        return false;
    if (a->allocated_count == 0 || b->allocated_count == 0)
        return a->allocated_count == b->allocated_count;
    return place_same(a->allocated_at, b->allocated_at);
}

static struct tried_finding compare_finding(const struct finding *finding,
                                     const struct process_report *after)
{
    struct tried_finding out = {
        .id = finding->id, .kind = finding->kind, .gone = true, .before = finding->rate.estimate};

    for (size_t i = 0; i < after->finding_count; i++)
        if (same_finding(finding, &after->findings[i])) {
            out.gone = false;
            out.after += after->findings[i].rate.estimate;
        }
    return out;
}

/* A plateau does not need a remedy. */
static bool is_problem(const struct finding *finding)
{
    return !finding->note && finding->kind != KIND_plateau && finding->kind != KIND_clean;
}

static int compare_findings(struct tried *out, const struct process_report *before,
                            const struct process_report *after, struct arena *arena,
                            struct why *why)
{
    struct tried_finding *list = arena_take(arena, before->finding_count + 1, sizeof(*list));

    if (!list)
        return fail(why, ERR_NOMEM, "no memory to compare two runs");
    for (size_t i = 0; i < before->finding_count; i++)
        if (is_problem(&before->findings[i]))
            list[out->finding_count++] = compare_finding(&before->findings[i], after);
    out->findings = list;
    return 0;
}

/* ---- the conclusion ---- */

static bool comparable(const struct tried *tried)
{
    return tried->before.steps >= TRIED_STEPS && tried->after.steps >= TRIED_STEPS &&
           tried->before.verdict != KIND_undecided && tried->after.verdict != KIND_undecided &&
           tried->before.clock == tried->after.clock;
}

/* A leak is compared by its rate. Memory that an allocator keeps does not grow, so its peak is compared. */
static bool is_less(const struct tried *tried)
{
    if (kind_status(tried->before.verdict) == 1)
        return tried->after.rate < LESS_SHARE * tried->before.rate;
    return (double)tried->after.resident_peak < LESS_SHARE * (double)tried->before.resident_peak;
}

static enum tried_conclusion conclude(const struct tried *tried)
{
    size_t gone = 0;

    if (!comparable(tried))
        return TRIED_INCOMPARABLE;
    if (tried->finding_count == 0)
        return TRIED_NOTHING;
    for (size_t i = 0; i < tried->finding_count; i++)
        gone += tried->findings[i].gone;
    /* If the second run has another leak instead, the remedy has not helped. */
    if (gone == tried->finding_count && kind_status(tried->after.verdict) == 0)
        return TRIED_GONE;
    return gone > 0 || is_less(tried) ? TRIED_LESS : TRIED_STILL;
}

static const char *reason_of(const struct tried *tried, struct arena *arena)
{
    char first[TEXT_SIZE_MAX], second[TEXT_SIZE_MAX];

    if (tried->before.steps < TRIED_STEPS || tried->after.steps < TRIED_STEPS)
        return arena_print(arena, "too few steps were seen (%s without, %s with it)",
                           text_count(first, tried->before.steps),
                           text_count(second, tried->after.steps));
    if (tried->before.verdict == KIND_undecided || tried->after.verdict == KIND_undecided)
        return arena_print(arena, "the run %s it is undecided",
                           tried->before.verdict == KIND_undecided ? "without" : "with");
    return "the two runs have different clocks";
}

static const char *words_of(const struct tried *tried, struct arena *arena)
{
    char before[TEXT_SIZE_MAX], after[TEXT_SIZE_MAX], high[TEXT_SIZE_MAX], low[TEXT_SIZE_MAX];
    char peak[TEXT_SIZE_MAX], least[TEXT_SIZE_MAX];
    const char *rates = "";
    static const char *const says[] = {
        [TRIED_GONE] = "the findings are gone",
        [TRIED_LESS] = "the findings are smaller",
        [TRIED_STILL] = "the findings are still there",
        [TRIED_NOTHING] = "nothing improved, because nothing was found without it",
        [TRIED_INCOMPARABLE] = "not comparable",
    };

    if (tried->conclusion == TRIED_INCOMPARABLE)
        return arena_print(arena, "With %s: not comparable, because %s.", tried->remedy,
                           reason_of(tried, arena));
    if (tried->before.rate != 0 || tried->after.rate != 0)
        rates = arena_print(arena, "%s per %s without and %s with it; ",
                            text_size_signed(before, tried->before.rate),
                            clock_rate_name(tried->before.clock),
                            text_size_signed(after, tried->after.rate));
    return arena_print(
        arena, "With %s %s: %s%s resident at the end without it (%s at most), %s with it (%s).",
        tried->remedy, says[tried->conclusion], rates,
        text_size(high, tried->before.resident_bytes), text_size(peak, tried->before.resident_peak),
        text_size(low, tried->after.resident_bytes), text_size(least, tried->after.resident_peak));
}

/* The notes of all processes: each adapter reports only about its own process. */
static const char *returned_by(const struct diagnosis *with, struct arena *arena)
{
    const char *said = NULL;

    for (size_t i = 0; i < with->process_count; i++) {
        const char *note = with->processes[i].remedy_note;

        if (note)
            said = arena_print(arena, "%s%s%s", said ? said : "", said ? " " : "", note);
    }
    return said;
}

int tried_compare(struct diagnosis *plain, const struct diagnosis *with, const char *remedy,
                  struct why *why)
{
    const struct process_report *before = headline_process(plain);
    const struct process_report *after = before ? headline_of_program(with, before->program) : NULL;
    const struct try_remedy *known = try_find(remedy);
    struct tried *out = arena_take(plain->arena, 1, sizeof(*out));
    int err = out ? 0 : fail(why, ERR_NOMEM, "no memory to compare two runs");

    if (err)
        return err;
    *out = (struct tried){.remedy = arena_text(plain->arena, remedy, strlen(remedy)),
                          .says = known ? known->says : NULL,
                          .before = side_of(before),
                          .after = side_of(after)};
    if (before && after)
        err = compare_findings(out, before, after, plain->arena, why);
    out->conclusion = conclude(out);
    out->sentence = words_of(out, plain->arena);
    out->returned = returned_by(with, plain->arena);
    plain->tried = out;
    return err;
}
