/* test_compare.c - two runs compared, from diagnoses made by hand. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/compare.h"
#include "test.h"

/* A run of one process with one finding; `count` 0: without. */
struct side {
    struct place place;
    struct finding finding;
    struct process_report report;
    struct diagnosis diagnosis;
};

static struct diagnosis *side(struct side *out, double low, double high, size_t count)
{
    out->place = (struct place){.file = "/one/a.c", .line = 3, .function = "keep", .user = true};
    out->finding = (struct finding){.id = 1,
                                    .kind = KIND_native,
                                    .rate = {(low + high) / 2, low, high},
                                    .since = 1,
                                    .live_blocks = 1000,
                                    .allocated_at = &out->place,
                                    .allocated_count = 1,
                                    .summary = "It is lost."};
    out->report = (struct process_report){.program = "/bin/train",
                                          .clock = CLOCK_mark,
                                          .clock_count = 1000,
                                          .verdict = count ? KIND_native : KIND_clean,
                                          .findings = &out->finding,
                                          .finding_count = count};
    out->diagnosis = (struct diagnosis){.verdict = count ? KIND_native : KIND_clean,
                                        .processes = &out->report,
                                        .process_count = 1,
                                        .arena = arena_new()};
    return &out->diagnosis;
}

static void end(struct side *before, struct side *after)
{
    arena_free(before->diagnosis.arena);
    arena_free(after->diagnosis.arena);
}

static struct comparison compared(const struct side *before, const struct side *after)
{
    struct comparison out;
    struct why why = {""};

    CHECK_EQ(compare_runs(&out, &before->diagnosis, &after->diagnosis, &why), 0);
    return out;
}

/* What the only change is called; its sentence must name the function. */
static enum change only(const struct side *before, const struct side *after)
{
    const struct comparison out = compared(before, after);

    CHECK_EQ(out.count, 1);
    CHECK_CONTAINS(out.findings[0].text, "keep");
    return out.findings[0].change;
}

TEST(compare_calls_a_rate_different_where_the_intervals_do_not_overlap)
{
    struct side before, after;

    (void)side(&before, 900, 1100, 1);
    (void)side(&after, 1000, 1300, 1);
    CHECK_EQ(only(&before, &after), CHANGE_SAME);
    after.finding.rate = (struct interval){1200, 1101, 1300};
    CHECK_EQ(only(&before, &after), CHANGE_WORSE);
    CHECK_EQ(compared(&before, &after).status, 1);
    after.finding.rate = (struct interval){800, 700, 899};
    CHECK_EQ(only(&before, &after), CHANGE_BETTER);
    CHECK_EQ(compared(&before, &after).status, 0);
    after.report.clock = CLOCK_time; /* bytes per second are not bytes per step */
    CHECK_EQ(only(&before, &after), CHANGE_SAME);
    end(&before, &after);
}

/* Lines move when code changes, and a build may be in another folder. */
TEST(compare_matches_findings_by_function)
{
    struct side before, after;

    (void)side(&before, 900, 1100, 1);
    (void)side(&after, 900, 1100, 1);
    after.place.line = 70;
    after.place.file = "/two/a.c";
    CHECK_EQ(only(&before, &after), CHANGE_SAME);
    after.place.function = "other";
    CHECK_EQ(compared(&before, &after).count, 2);
    after.place.function = "keep";
    after.place.file = "/two/b.c";
    CHECK_EQ(compared(&before, &after).count, 2);
    end(&before, &after);
}

TEST(compare_calls_a_leak_fixed_only_if_the_second_run_would_have_shown_it)
{
    struct side before, after;
    struct comparison out;

    (void)side(&before, 900, 1100, 1);
    (void)side(&after, 0, 0, 0);
    out = compared(&before, &after);
    CHECK_EQ(out.findings[0].change, CHANGE_FIXED);
    CHECK_EQ(out.status, 0);
    CHECK(out.findings[0].needed > 0 && out.findings[0].needed <= 1000);
    CHECK_CONTAINS(out.answer, "1 fixed");
    after.report.clock_count = out.findings[0].needed - 1;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    CHECK_EQ(compared(&before, &after).status, 3);
    after.report.clock_count = out.findings[0].needed;
    CHECK_EQ(only(&before, &after), CHANGE_FIXED);
    after.report.clock = CLOCK_time;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    after.report.clock = CLOCK_mark;
    after.report.verdict = KIND_undecided;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    after.diagnosis.process_count = 0;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    end(&before, &after);
}

TEST(compare_calls_a_leak_new_unless_it_may_be_an_old_one)
{
    struct side before, after;

    (void)side(&before, 0, 0, 0);
    (void)side(&after, 900, 1100, 1);
    CHECK_EQ(only(&before, &after), CHANGE_NEW);
    CHECK_EQ(compared(&before, &after).status, 1);
    after.finding.kind = KIND_undecided;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    after.finding.kind = KIND_native;
    before.report.finding_count = 1; /* of a program that was rebuilt: it has no names any more */
    before.place.file = NULL;
    before.place.function = "train+0x12";
    CHECK_EQ(compared(&before, &after).count, 2);
    CHECK_EQ(compared(&before, &after).status, 3);
    end(&before, &after);
}

TEST(compare_leaves_out_notes_plateaus_and_suspicions_that_are_gone)
{
    struct side before, after;

    (void)side(&before, 900, 1100, 1);
    (void)side(&after, 0, 0, 0);
    before.finding.note = true;
    CHECK_TEXT(compared(&before, &after).answer, "Nothing was found in either run.");
    before.finding.note = false;
    before.finding.kind = KIND_plateau;
    CHECK_EQ(compared(&before, &after).count, 0);
    before.finding.kind = KIND_undecided;
    CHECK_EQ(compared(&before, &after).count, 0);
    after.diagnosis.verdict = KIND_undecided;
    CHECK_EQ(compared(&before, &after).status, 3);
    end(&before, &after);
}

TEST(compare_follows_a_finding_into_and_out_of_doubt)
{
    struct side before, after;

    (void)side(&before, 900, 1100, 1);
    (void)side(&after, 900, 1100, 1);
    after.finding.kind = KIND_undecided;
    CHECK_EQ(only(&before, &after), CHANGE_UNPROVEN);
    before.finding.kind = KIND_undecided;
    CHECK_EQ(only(&before, &after), CHANGE_SAME);
    after.finding.kind = KIND_native;
    CHECK_EQ(only(&before, &after), CHANGE_NEW);
    end(&before, &after);
}
