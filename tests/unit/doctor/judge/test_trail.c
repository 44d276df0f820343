/* The trail: every rule that spoke is in it, in order, with its numbers. */
#include "fake.h"
#include "test.h"

/* The first line from `from` on with that text; the number after it, or 0. */
static size_t find(const struct process_report *report, size_t from, const char *text)
{
    for (size_t i = from; i < report->trail_count; i++)
        if (strstr(report->trail[i].text, text))
            return i + 1;
    return 0;
}

TEST(the_trail_of_a_leak_leads_from_the_clock_to_the_report)
{
    const struct process_report report = judged(fake_leak(100), NULL);
    size_t at = find(&report, 0, "Clock: 100 steps seen");

    CHECK(at > 0);
    CHECK((at = find(&report, at, "Suspected: blocks of")) > 0);
    CHECK((at = find(&report, at, "convicted: the old ones stay")) > 0);
    CHECK((at = find(&report, at, "Detector of lines whose blocks survive: 1 finding.")) > 0);
    CHECK((at = find(&report, at, "Reported: retained, ")) > 0);
}

TEST(the_trail_says_what_died_and_that_nothing_was_suspected)
{
    struct fake *fake = fake_new();
    struct process_report report;

    for (unsigned i = 1; i <= 100; i++) {
        fake_death(fake, i, i);
        fake_step(fake, 1);
    }
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK(find(&report, 0, "0 of 69 size classes rise") > 0);
    CHECK_EQ(find(&report, 0, "Suspected"), 0);
    CHECK_EQ(find(&report, 0, "Reported"), 0);
}

TEST(the_trail_says_why_a_verdict_was_withdrawn)
{
    const struct process_report report = judged(fake_leak(6), NULL);

    CHECK(report.early);
    CHECK(find(&report, 0, "Withdrawn: ") > 0);
}
