/* test_check.c - runs compared with limits, from diagnoses made by hand. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/verbs/check.h"
#include "test.h"

static const struct place here = {.file = "a.c", .line = 3, .function = "keep", .user = true};

/* One process that leaks `low` to `high` bytes per step at one line. */
struct leaking {
    struct finding finding;
    struct process_report report;
    struct diagnosis diagnosis;
};

static struct diagnosis *leaking(struct leaking *out, double low, double high)
{
    out->finding = (struct finding){.id = 4,
                                    .kind = KIND_native,
                                    .rate = {(low + high) / 2, low, high},
                                    .allocated_at = &here,
                                    .allocated_count = 1,
                                    .summary = "It is lost."};
    out->report = (struct process_report){.pid = 9,
                                          .clock = CLOCK_mark,
                                          .clock_count = 1000,
                                          .seconds = 100,
                                          .verdict = KIND_native,
                                          .answer = "Yes.",
                                          .findings = &out->finding,
                                          .finding_count = 1,
                                          .resident_peak = 5000};
    out->diagnosis = (struct diagnosis){.verdict = KIND_native,
                                        .processes = &out->report,
                                        .process_count = 1,
                                        .answer = "Yes.",
                                        .arena = arena_new()};
    return &out->diagnosis;
}

static struct check checked(const struct diagnosis *diagnosis, struct check_limits limits)
{
    struct check check;
    struct why why = {""};

    CHECK_EQ(check_run(&check, diagnosis, &limits, &why), 0);
    return check;
}

TEST(check_without_a_limit_fails_on_every_leak)
{
    struct leaking run;
    const struct check check = checked(leaking(&run, 900, 1100), (struct check_limits){0});

    CHECK_EQ(check.outcome, CHECK_FAILED);
    CHECK_TEXT(check.answer, "Failed: memory grows faster than the limit.");
    CHECK_EQ(check.count, 1);
    CHECK_EQ(check.lines[0].about, CHECK_GROWTH);
    CHECK_EQ(check.lines[0].pid, 9);
    CHECK_EQ(check.lines[0].finding, 4);
    CHECK_CONTAINS(check.lines[0].text, "keep");
    CHECK_CONTAINS(check.lines[0].text, "It is lost.");
    arena_free(run.diagnosis.arena);
}

/* The limit passes or fails only where the whole interval is on one side of it. */
TEST(check_of_growth_uses_the_whole_interval)
{
    static const struct {
        double limit;
        enum check_outcome want;
    } cases[] = {{899, CHECK_FAILED}, {900, CHECK_UNKNOWN}, {1099, CHECK_UNKNOWN}, {1100, CHECK_PASSED}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct leaking run;
        const struct check check =
            checked(leaking(&run, 900, 1100), (struct check_limits){.growth = cases[i].limit});

        CHECK_EQ(check.outcome, cases[i].want);
        CHECK_EQ(check.lines[0].outcome, cases[i].want);
        CHECK_EQ(check.count, cases[i].want == CHECK_PASSED ? 1 : 2); /* the sum, and what it is made of */
        arena_free(run.diagnosis.arena);
    }
}

/* 1,000 steps in 100 seconds: 1,000 bytes per step are 10,000 per second. */
TEST(check_converts_the_rate_to_the_unit_of_the_limit)
{
    struct leaking run;
    struct check check = checked(leaking(&run, 1000, 1000),
                                 (struct check_limits){.growth = 9999, .unit = CHECK_PER_SECOND});

    CHECK_EQ(check.outcome, CHECK_FAILED);
    CHECK_CONTAINS(check.lines[0].text, "per second");
    check = checked(&run.diagnosis, (struct check_limits){.growth = 10000, .unit = CHECK_PER_SECOND});
    CHECK_EQ(check.outcome, CHECK_PASSED);
    run.report.clock = CLOCK_time; /* no steps were found */
    check = checked(&run.diagnosis, (struct check_limits){.growth = 1e9, .unit = CHECK_PER_STEP});
    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    CHECK_CONTAINS(check.lines[0].text, "the run has no steps for a limit per step");
    arena_free(run.diagnosis.arena);
}

TEST(check_of_the_peak_names_the_line_that_made_it)
{
    struct leaking run;
    const struct site_summary site = {.places = &here, .place_count = 1, .peak_bytes = 4000};
    struct check check;

    (void)leaking(&run, 0, 0);
    run.report.finding_count = 0;
    run.report.verdict = KIND_clean;
    run.report.peak_sites = &site;
    run.report.peak_site_count = 1;
    check = checked(&run.diagnosis, (struct check_limits){.peak = 5000});
    CHECK_EQ(check.outcome, CHECK_PASSED);
    CHECK_TEXT(check.answer, "Passed: memory stays within the limits.");
    check = checked(&run.diagnosis, (struct check_limits){.peak = 4999});
    CHECK_EQ(check.outcome, CHECK_FAILED);
    CHECK_TEXT(check.answer, "Failed: the peak is above the limit.");
    CHECK_CONTAINS(check.lines[0].text, "keep");
    run.report.resident_peak = 0;
    check = checked(&run.diagnosis, (struct check_limits){.peak = 4999});
    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    arena_free(run.diagnosis.arena);
}

TEST(check_lets_allowed_leaks_pass_and_reports_unused_rules)
{
    static const char text[] = "# Kept until the end.\nleak:keep\n\nleak:other\n";
    struct leaking run;
    struct allow allow;
    struct check check;
    struct why why = {""};

    (void)leaking(&run, 900, 1100);
    CHECK_EQ(allow_parse(&allow, "allow", text, sizeof(text) - 1, run.diagnosis.arena, &why), 0);
    check = checked(&run.diagnosis, (struct check_limits){.allow = &allow});
    CHECK_EQ(check.outcome, CHECK_PASSED);
    CHECK_TEXT(check.answer, "Passed: nothing leaks that is not allowed.");
    CHECK_EQ(check.count, 3);
    CHECK_CONTAINS(check.lines[0].text, "is allowed by \"leak:keep\": Kept until the end.");
    CHECK_TEXT(check.lines[1].text, "allow:4: \"leak:other\" matched nothing in this run");
    CHECK_CONTAINS(check.lines[2].text, "has no reason");
    CHECK_EQ(allow.rules[0].used, 1);
    arena_free(run.diagnosis.arena);
}

TEST(check_ignores_notes_and_doubts_what_is_undecided)
{
    struct leaking run;
    struct check check;

    (void)leaking(&run, 900, 1100);
    run.finding.note = true;
    run.report.verdict = KIND_clean;
    check = checked(&run.diagnosis, (struct check_limits){0});
    CHECK_EQ(check.outcome, CHECK_PASSED);
    CHECK_TEXT(check.answer, "Passed: nothing leaks.");
    run.finding.note = false;
    run.finding.kind = run.report.verdict = KIND_undecided;
    check = checked(&run.diagnosis, (struct check_limits){0});
    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    CHECK_CONTAINS(check.lines[0].text, "It is lost.");
    check = checked(&run.diagnosis, (struct check_limits){.growth = 1100}); /* below it at any rate */
    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    CHECK_EQ(check.count, 1);
    CHECK_TEXT(check.lines[0].text, "Yes."); /* the answer of the process */
    arena_free(run.diagnosis.arena);
}

TEST(check_of_a_run_without_processes_is_not_passed)
{
    struct diagnosis nothing = {.answer = "Nothing was watched.", .arena = arena_new()};
    const struct check check = checked(&nothing, (struct check_limits){0});

    CHECK_EQ(check.outcome, CHECK_UNKNOWN);
    CHECK_TEXT(check.lines[0].text, "Nothing was watched.");
    CHECK_TEXT(check_name(check.outcome), "not-enough-evidence");
    arena_free(nothing.arena);
}
