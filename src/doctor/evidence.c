/* evidence.c - see evidence.h. */
#include "doctor/evidence.h"

#include <math.h>

#include "base/text.h"

#define SENTENCES_MAX 8

void evidence_say(struct finding *out, const struct visit *visit, const char *sentence)
{
    if (!out->evidence)
        out->evidence = arena_take(visit->arena, SENTENCES_MAX, sizeof(*out->evidence));
    if (out->evidence && sentence && out->evidence_count < SENTENCES_MAX)
        out->evidence[out->evidence_count++] = sentence;
}

static void say(struct finding *out, const struct visit *visit, const char *sentence)
{
    evidence_say(out, visit, sentence);
}

/* A copy of a size in words that outlives the sentence's making. */
static const char *size_text(const struct visit *visit, double bytes)
{
    char out[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_size(out, (uint64_t)fmax(0, bytes + 0.5)));
}

static const char *count_text(const struct visit *visit, uint64_t count)
{
    char out[TEXT_SIZE_MAX];

    return arena_print(visit->arena, "%s", text_count(out, count));
}

static const char *unit(const struct visit *visit)
{
    return clock_unit(&visit->clock);
}

/* Spans of ticks are counted in slices when the clock is time. */
static const char *ticks_name(const struct visit *visit)
{
    return clock_ticks_name(visit->clock.name, 2);
}

static const char *tick_name(const struct visit *visit)
{
    return clock_tick_name(visit->clock.name);
}

const char *evidence_ticks(const struct visit *visit, uint64_t count)
{
    return arena_print(visit->arena, "%s %s", count_text(visit, count),
                       clock_ticks_name(visit->clock.name, count));
}

const char *evidence_rate(const struct visit *visit, double per_tick)
{
    return arena_print(visit->arena, "%s per %s",
                       size_text(visit, per_tick * clock_scale(&visit->clock)), unit(visit));
}

static const char *rate_of(const struct finding *out, const struct visit *visit)
{
    return arena_print(visit->arena, "%s per %s", size_text(visit, out->rate.estimate),
                       unit(visit));
}

/* ---- growth ---- */

static void say_survival(struct finding *out, const struct visit *visit,
                         const struct facts_of_growth *facts)
{
    say(out, visit,
        arena_print(
            visit->arena, "%s of %s %s%s from %s %s-%s that grew old are still there.",
            count_text(visit, facts->alive), count_text(visit, facts->alive + facts->released),
            facts->certain ? "" : "sampled ",
            out->left    ? "pieces of shared memory"
            : facts->map ? "mappings"
                         : "blocks",
            ticks_name(visit),
            count_text(visit, facts->first), count_text(visit, facts->last)));
}

/* The latest trim, if it changed nothing. */
static void say_vain_trim(struct finding *out, const struct visit *visit)
{
    const struct model *model = visit->model;
    const struct intervention_record *last = NULL;

    for (size_t i = 0; i < model->intervention_count; i++)
        if (model->interventions[i].kind == INTERVENTION_TRIM)
            last = &model->interventions[i];
    if (last && last->live_after + RULE_FINDING_RATE >= last->live_before)
        say(out, visit,
            arena_print(visit->arena, "A trim changed nothing: %s were live before and after.",
                        size_text(visit, (double)last->live_after)));
}

static void say_resident(struct finding *out, const struct visit *visit)
{
    const double rate = resident_rate(&visit->series);

    if (rate >= RULE_NOTE_RATE)
        say(out, visit,
            arena_print(visit->arena, "Resident size grew by %s.", evidence_rate(visit, rate)));
}

static void say_reach(struct finding *out, const struct visit *visit, enum reach reach)
{
    if (reach == REACH_LOST)
        say(out, visit, "Nothing in the program points to them any more.");
    else if (reach == REACH_UNKNOWN)
        say(out, visit,
            arena_print(visit->arena, EVIDENCE_NOT_SOUGHT "%s%s.", out->unsearched ? ": " : "",
                        out->unsearched ? out->unsearched : ""));
}

static void say_collected(struct finding *out, const struct visit *visit,
                          const struct collected *collected)
{
    const bool tensors = out->site && site_is_tensor(visit->model->sites[out->site - 1].kind);

    say(out, visit,
        arena_print(visit->arena, "%s left %s of the %s sampled %s made here before it.",
                    collected->late  ? "A collection after the program's end"
                    : collected->own ? "The engine's latest full collection but one"
                                     : "A collection",
                    count_text(visit, collected->alive),
                    count_text(visit, collected->released + collected->alive),
                    tensors ? "tensors" : "blocks"));
}

static const char *waits_for(const struct finding *out)
{
    return out->endless ? "Waits for a collector that is switched off" : "Waits for the collector";
}

static void say_endless(struct finding *out, const struct visit *visit)
{
    if (out->endless)
        say(out, visit, "Python's collector is switched off: what waits for it stays, and memory grows "
                        "without end.");
}

static void evidence_cycle(struct finding *out, const struct visit *visit)
{
    const char *cycle =
        out->site ? reach_cycle(out, visit->model, out->site - 1, visit->arena) : NULL;

    if (cycle)
        say(out, visit, arena_print(visit->arena, "They belong to %s, which is the first again.", cycle));
}

void evidence_growth(struct finding *out, const struct visit *visit,
                     const struct facts_of_growth *facts)
{
    const char *since = count_text(visit, out->since);

    if (out->kind == KIND_gc_lag)
        out->summary = arena_print(visit->arena, "%s: %s since %s %s.", waits_for(out),
                                   rate_of(out, visit), tick_name(visit), since);
    else if (out->kind == KIND_undecided && facts->collected.turnless)
        out->summary = arena_print(visit->arena,
                                   "May grow by %s: native code releases in turns of the event loop behind a "
                                   "collection, and behind the work of a device; none came while it ran.",
                                   rate_of(out, visit));
    else if (out->kind == KIND_undecided)
        out->summary = arena_print(visit->arena,
                                   "May grow by %s: no collection came while the program ran, so "
                                   "that it is not known whether anything held them.",
                                   rate_of(out, visit));
    else if (out->evicted_nothing)
        out->summary =
            arena_print(visit->arena, "Grows by %s since %s %s; %s in %s %s.", rate_of(out, visit),
                        tick_name(visit), since,
                        facts->released ? "almost nothing evicted" : "nothing evicted",
                        count_text(visit, visit->series.ticks - out->since + 1), ticks_name(visit));
    else
        out->summary = arena_print(visit->arena, "Leaks %s since %s %s.", rate_of(out, visit),
                                   tick_name(visit), since);
    say_survival(out, visit, facts);
    if (out->left) {
        say(out, visit, "They are unmapped, but the system keeps shared memory until its name is removed.");
        return;
    }
    say_vain_trim(out, visit);
    say_resident(out, visit);
    if (facts->collected.turnless && facts->collected.went)
        say(out, visit, "No turn of the event loop came while this line was at work, in which native code "
                        "could have released anything; then most of the growth went.");
    if (facts->collected.asked)
        say_collected(out, visit, &facts->collected);
    say_endless(out, visit);
    if (out->kind != KIND_gc_lag && out->kind != KIND_undecided)
        say_reach(out, visit, facts->reach);
    if (out->kind == KIND_gc_lag)
        evidence_cycle(out, visit);
}

void evidence_joined(struct finding *out, const struct visit *visit)
{
    out->summary = arena_print(visit->arena,
                               "Grows by %s since %s %s, with all that this call makes when it "
                               "compiles.",
                               rate_of(out, visit), tick_name(visit),
                               count_text(visit, out->since));
}

void evidence_lag(struct finding *out, const struct visit *visit, const struct collected *collected,
                  const struct intervention_record *collection, uint64_t tick)
{
    out->summary = arena_print(visit->arena, "%s: %s since %s %s.", waits_for(out),
                               rate_of(out, visit), tick_name(visit), count_text(visit, out->since));
    if (collected->script)
        say(out, visit,
            arena_print(visit->arena,
                        "Collections that were asked for released %s of its sampled blocks, %s; "
                        "V8 had not come round to them.",
                        count_text(visit, out->live_blocks), size_text(visit, (double)out->live_bytes)));
    else
        say(out, visit,
            arena_print(visit->arena, "A collection at %s %s found %s objects that nothing led to.",
                        tick_name(visit),
                        count_text(visit, tick > visit->series.ticks ? visit->series.ticks : tick),
                        count_text(visit, collection->released)));
    if (collected->released + collected->alive > 0)
        say_collected(out, visit, collected);
    say_endless(out, visit);
    evidence_cycle(out, visit);
}

void evidence_arenas(struct finding *out, const struct visit *visit, const struct pinned *pinned)
{
    out->summary = arena_print(visit->arena,
                               "Python's arenas for small objects hold %s that its objects do not "
                               "need.",
                               size_text(visit, (double)pinned->held));
    say(out, visit,
        arena_print(visit->arena, "The arenas take %s; %s objects are alive in them.",
                    size_text(visit, (double)pinned->bytes), count_text(visit, pinned->blocks)));
    say(out, visit,
        arena_print(visit->arena, "At %s %s there were %s; an arena is returned when its last "
                    "object is gone.",
                    tick_name(visit), count_text(visit, pinned->tick), count_text(visit, pinned->most)));
}

void evidence_backlog(struct finding *out, const struct visit *visit, const struct backlog *backlog)
{
    out->summary = arena_print(visit->arena,
                               "A queue grows by %s: it is filled faster than it is "
                               "emptied.",
                               rate_of(out, visit));
    say(out, visit,
        arena_print(visit->arena,
                    "Its blocks are released, but after ever longer: after %s %s at "
                    "first, after %s of late.",
                    count_text(visit, backlog->waited), ticks_name(visit),
                    count_text(visit, backlog->waits)));
    say_resident(out, visit);
}

void evidence_container(struct finding *out, const struct visit *visit, const struct grown *grown)
{
    out->summary = arena_print(visit->arena, "A container grows by %s and is now %s large.",
                               rate_of(out, visit), size_text(visit, (double)grown->bytes));
    say(out, visit,
        arena_print(visit->arena,
                    "Live bytes rose in every eighth of %s %s-%s, by %s in all; the number of "
                    "blocks did not.",
                    ticks_name(visit), count_text(visit, grown->first),
                    count_text(visit, grown->last), size_text(visit, (double)grown->rose)));
    say(out, visit,
        arena_print(visit->arena,
                    "%s block%s made here hold%s %s and %s resized or replaced %s "
                    "times.",
                    count_text(visit, grown->blocks), grown->blocks == 1 ? "" : "s",
                    grown->blocks == 1 ? "s" : "", size_text(visit, (double)grown->bytes),
                    grown->blocks == 1 ? "was" : "were", count_text(visit, grown->times)));
    say_resident(out, visit);
}

void evidence_heap(struct finding *out, const struct visit *visit, uint64_t collections,
                   uint64_t first, uint64_t last)
{
    out->summary = arena_print(visit->arena, "The JavaScript heap grows by %s.", rate_of(out, visit));
    evidence_say(out, visit,
        arena_print(visit->arena,
                    "Behind %s full collections since %s %s it held ever more: %s at first, %s at "
                    "the last.",
                    count_text(visit, collections), tick_name(visit), count_text(visit, out->since),
                    size_text(visit, (double)first), size_text(visit, (double)last)));
    say_resident(out, visit);
}

/* ---- resident size ---- */

static void say_trim(struct finding *out, const struct visit *visit,
                     const struct resident *resident)
{
    if (!resident->trimmed)
        say(out, visit,
            "No trim was asked for, so that it is not known how much could be returned.");
    else
        say(out, visit,
            arena_print(visit->arena, "A trim returned %s to the system.",
                        size_text(visit, (double)resident->returned)));
}

void evidence_resident(struct finding *out, const struct visit *visit,
                       const struct resident *resident)
{
    if (resident->state == RESIDENT_GROWS) {
        out->summary = arena_print(
            visit->arena,
            "Resident size grew by %s that is neither live nor mapped; live memory "
            "changed by %s%s.",
            size_text(visit, (double)resident->held_rose), resident->live_rose < 0 ? "-" : "",
            size_text(visit, fabs((double)resident->live_rose)));
        say(out, visit,
            arena_print(visit->arena, "That was between %s %s and %s.", ticks_name(visit),
                        count_text(visit, resident->first), count_text(visit, resident->last)));
    } else {
        out->summary =
            arena_print(visit->arena, "The allocator keeps %s that the program has freed.",
                        size_text(visit, (double)resident->held));
        say(out, visit, "Live memory is flat, and what is kept no longer grows.");
    }
    say_trim(out, visit, resident);
}

/* ---- not enough, slowing, stopped ---- */

static const char *more_text(const struct finding *out, const struct visit *visit)
{
    return arena_print(visit->arena, "%s to %s more %s are needed to decide.",
                       count_text(visit, out->more_steps), count_text(visit, 2 * out->more_steps),
                       ticks_name(visit));
}

void evidence_short(struct finding *out, const struct visit *visit, const struct cohort *cohort)
{
    out->summary = arena_print(visit->arena, "May grow by %s; too little was seen to decide.",
                               rate_of(out, visit));
    say(out, visit,
        arena_print(visit->arena,
                    "Its counter of live blocks rises, and %s old block%s of %s %s "
                    "%s still there.",
                    count_text(visit, cohort->alive), cohort->alive == 1 ? "" : "s",
                    count_text(visit, cohort->events),
                    cohort->events == 1 ? tick_name(visit) : ticks_name(visit),
                    cohort->alive == 1 ? "is" : "are"));
    say(out, visit, more_text(out, visit));
}

void evidence_slowing(struct finding *out, const struct visit *visit, const struct cohort *cohort)
{
    out->summary = arena_print(visit->arena, "Grows by %s, ever more slowly.", rate_of(out, visit));
    say(out, visit,
        arena_print(visit->arena,
                    "%s of %s blocks that grew old are still there, but fewer are "
                    "added than before.",
                    count_text(visit, cohort->alive),
                    count_text(visit, cohort->alive + cohort->released)));
    say(out, visit, more_text(out, visit));
}

void evidence_early(struct finding *out, const struct visit *visit)
{
    out->summary = arena_print(visit->arena, "%s kept so far, in %s %s.", rate_of(out, visit),
                               count_text(visit, visit->series.ticks), ticks_name(visit));
    say(out, visit, more_text(out, visit));
}

void evidence_plateau(struct finding *out, const struct visit *visit,
                      const struct standstill *still, uint64_t bytes)
{
    out->summary = arena_print(
        visit->arena, "Rose by %s, then stopped at %s %s.", size_text(visit, (double)bytes),
        tick_name(visit), count_text(visit, still->last));
    say(out, visit,
        arena_print(visit->arena,
                    "%s blocks were added between %s %s and %s, and none in the %s "
                    "since.",
                    count_text(visit, still->blocks), ticks_name(visit),
                    count_text(visit, still->first), count_text(visit, still->last),
                    count_text(visit, visit->series.ticks - still->last)));
}
