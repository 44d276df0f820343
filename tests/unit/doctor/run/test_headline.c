/* Which process of a run speaks for it. */
#include "doctor/run/headline.h"
#include "test.h"

#define PROCESSES_MAX 4

static struct process_report reports[PROCESSES_MAX];

static struct process_report process(enum kind verdict, enum clock_id clock, uint64_t ticks)
{
    return (struct process_report){.verdict = verdict, .clock = clock, .clock_count = ticks, .seconds = 10};
}

/* The index of the one that speaks, which must not depend on the order. */
static size_t speaker(size_t count)
{
    struct process_report turned[PROCESSES_MAX];
    const struct diagnosis diagnosis = {.processes = reports, .process_count = count};
    const struct diagnosis reversed = {.processes = turned, .process_count = count};
    const size_t found = (size_t)(headline_process(&diagnosis) - reports);

    for (size_t i = 0; i < count; i++)
        turned[count - 1 - i] = reports[i];
    CHECK_EQ(headline_process(&reversed) - turned, count - 1 - found);
    return found;
}

static struct finding growing(double rate)
{
    return (struct finding){.kind = KIND_retained, .rate = {rate, rate, rate}};
}

TEST(without_a_process_nobody_speaks)
{
    CHECK(headline_process(&(struct diagnosis){.process_count = 0}) == NULL);
}

TEST(the_worst_finding_speaks)
{
    reports[0] = process(KIND_clean, CLOCK_optimizer, 4000);
    reports[1] = process(KIND_unbounded_cache, CLOCK_time, 200);
    reports[2] = process(KIND_native, CLOCK_loop, 100);
    reports[3] = process(KIND_retained, CLOCK_mark, 40);
    CHECK_EQ(speaker(2), 1);
    CHECK_EQ(speaker(3), 2);
    CHECK_EQ(speaker(4), 3);
}

TEST(of_equal_leaks_the_faster_speaks)
{
    const struct finding slow = growing(100), fast = growing(5000);

    reports[0] = process(KIND_retained, CLOCK_optimizer, 4000);
    reports[0].findings = &slow;
    reports[1] = process(KIND_retained, CLOCK_optimizer, 40);
    reports[1].findings = &fast;
    reports[0].finding_count = reports[1].finding_count = 1;
    CHECK_EQ(speaker(2), 1);
}

/* What is only noted is not part of the rate. */
TEST(notes_do_not_make_a_process_speak)
{
    const struct finding slow = growing(100);
    struct finding noted = growing(5000);

    noted.note = true;
    reports[0] = process(KIND_undecided, CLOCK_optimizer, 40);
    reports[0].findings = &slow;
    reports[1] = process(KIND_undecided, CLOCK_optimizer, 40);
    reports[1].findings = &noted;
    reports[0].finding_count = reports[1].finding_count = 1;
    CHECK_EQ(speaker(2), 0);
}

TEST(a_doubt_speaks_before_a_process_with_nothing_wrong)
{
    reports[0] = process(KIND_clean, CLOCK_optimizer, 4000);
    reports[1] = process(KIND_undecided, CLOCK_optimizer, 40);
    CHECK_EQ(speaker(2), 1);
}

TEST(of_those_with_nothing_wrong_the_one_with_most_evidence_speaks)
{
    reports[0] = process(KIND_clean, CLOCK_time, 9000);
    reports[1] = process(KIND_clean, CLOCK_optimizer, 40);
    reports[2] = process(KIND_clean, CLOCK_optimizer, 400);
    CHECK_EQ(speaker(2), 1); /* steps say more than slices of time */
    CHECK_EQ(speaker(3), 2);
    reports[0] = process(KIND_plateau, CLOCK_optimizer, 12);
    CHECK_EQ(speaker(3), 0); /* something was seen to rise, and to stop */
    reports[0] = reports[1] = process(KIND_clean, CLOCK_optimizer, 40);
    reports[1].live_bytes = 1;
    CHECK_EQ(speaker(2), 1);
}

TEST(a_process_that_was_seen_too_briefly_speaks_last)
{
    reports[0] = process(KIND_undecided, CLOCK_optimizer, 5);
    reports[0].early = true;
    reports[1] = process(KIND_clean, CLOCK_time, 200);
    CHECK_EQ(speaker(2), 1);
    CHECK_EQ(speaker(1), 0);
}

TEST(a_short_doubt_along_time_gives_way_to_a_long_decided_process)
{
    reports[0] = process(KIND_undecided, CLOCK_time, 200);
    reports[0].seconds = 4;
    reports[1] = process(KIND_clean, CLOCK_optimizer, 400);
    reports[1].seconds = 9;
    CHECK_EQ(speaker(2), 1);
    reports[1].seconds = 8; /* not more than twice as long */
    CHECK_EQ(speaker(2), 0);
    reports[1].seconds = 9;
    reports[0].clock = CLOCK_optimizer; /* its steps are evidence */
    CHECK_EQ(speaker(2), 0);
}

TEST(processes_without_evidence_are_passed_over_beside_a_decided_one)
{
    struct diagnosis diagnosis = {.processes = reports, .process_count = 2};

    reports[0] = process(KIND_undecided, CLOCK_optimizer, 5);
    reports[0].early = true;
    reports[1] = process(KIND_clean, CLOCK_optimizer, 400);
    headline_settle(&diagnosis);
    CHECK(reports[0].passed_over && !reports[0].speaks);
    CHECK(!reports[1].passed_over && reports[1].speaks);
    CHECK(!reports[0].launcher); /* it worked beside the other */
    reports[1] = reports[0];
    headline_settle(&diagnosis);
    CHECK(!reports[0].passed_over); /* nobody was decided */
    CHECK(!reports[1].passed_over);
}

/* pyenv's shim: a shell that asks other shells which Python is meant, and becomes it. */
TEST(what_came_before_the_program_is_a_launcher)
{
    struct diagnosis diagnosis = {.processes = reports, .process_count = 4};

    for (size_t i = 0; i < 4; i++) {
        reports[i] = process(KIND_undecided, CLOCK_time, 5);
        reports[i].early = true;
        reports[i].start_time = 100;
        reports[i].end_time = 200;
    }
    reports[0].ending = ENDING_EXEC;
    reports[0].clock_count = 900; /* a slow shim */
    reports[2].start_time = 200;  /* the program */
    reports[2].end_time = 300;
    reports[2].peak_bytes = 5000000;
    reports[3].start_time = 220; /* a process of the program */
    reports[3].end_time = 250;
    CHECK_EQ(speaker(4), 2);
    headline_settle(&diagnosis);
    CHECK(reports[0].launcher && reports[1].launcher);
    CHECK(reports[0].passed_over && reports[1].passed_over);
    CHECK(!reports[3].launcher && !reports[3].passed_over);
}
