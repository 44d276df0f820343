/* Two runs compared, from diagnoses made by hand. */
#include "test.h"

#include "base/arena.h"
#include "doctor/verbs/tried.h"

static const struct place here = {.file = "a.c", .line = 3, .function = "f", .user = true};
static const struct place there = {.file = "a.c", .line = 9, .function = "g", .user = true};

static struct finding leak_at(const struct place *place, double rate)
{
    return (struct finding){.id = 1,
                            .kind = KIND_native,
                            .rate = {rate, rate, rate},
                            .allocated_at = place,
                            .allocated_count = 1};
}

static struct process_report report_of(const struct finding *findings, size_t count)
{
    return (struct process_report){.program = "p",
                                   .clock = CLOCK_mark,
                                   .clock_count = 100,
                                   .verdict = count ? findings[0].kind : KIND_clean,
                                   .findings = findings,
                                   .finding_count = count,
                                   .resident_bytes = 100,
                                   .resident_peak = 100};
}

/* What is concluded of these two; the sentence must name the remedy. */
static enum tried_conclusion compare(const struct process_report *before,
                                     const struct process_report *after)
{
    struct diagnosis plain = {.processes = before, .process_count = 1, .arena = arena_new()};
    struct diagnosis with = {.processes = after, .process_count = after ? 1 : 0};
    enum tried_conclusion conclusion;
    struct why why = {""};

    CHECK(tried_compare(&plain, &with, "trim", &why) == 0);
    CHECK(plain.tried != NULL && strstr(plain.tried->sentence, "trim") != NULL);
    conclusion = plain.tried->conclusion;
    arena_free(plain.arena);
    return conclusion;
}

TEST(tried_tells_gone_from_less_and_still_there)
{
    const struct finding two[] = {leak_at(&here, 1000), leak_at(&there, 500)};
    const struct finding slow = leak_at(&here, 400), same = leak_at(&here, 900);
    const struct finding elsewhere = leak_at(&there, 1000);
    const struct process_report before = report_of(two, 1), both = report_of(two, 2);
    const struct process_report clean = report_of(NULL, 0), slower = report_of(&slow, 1);
    const struct process_report still = report_of(&same, 1), moved = report_of(&elsewhere, 1);

    CHECK(compare(&before, &clean) == TRIED_GONE);
    CHECK(compare(&before, &still) == TRIED_STILL);
    CHECK(compare(&before, &slower) == TRIED_LESS);
    CHECK(compare(&both, &still) == TRIED_LESS);
    CHECK(compare(&before, &moved) != TRIED_GONE);
    CHECK(compare(&clean, &clean) == TRIED_NOTHING);
}

TEST(tried_concludes_nothing_from_too_little)
{
    const struct finding one = leak_at(&here, 1000);
    const struct process_report before = report_of(&one, 1);
    struct process_report after = report_of(NULL, 0);

    CHECK(compare(&before, NULL) == TRIED_INCOMPARABLE);
    after.clock_count = TRIED_STEPS - 1;
    CHECK(compare(&before, &after) == TRIED_INCOMPARABLE);
    after.clock_count = TRIED_STEPS;
    CHECK(compare(&before, &after) == TRIED_GONE);
    after.clock = CLOCK_time;
    CHECK(compare(&before, &after) == TRIED_INCOMPARABLE);
    after = report_of(NULL, 0);
    after.verdict = KIND_undecided;
    CHECK(compare(&before, &after) == TRIED_INCOMPARABLE);
}

TEST(tried_measures_what_an_allocator_keeps_by_its_peak)
{
    const struct finding kept = {.id = 1, .kind = KIND_framework_cache};
    const struct process_report before = report_of(&kept, 1);
    struct process_report after = report_of(&kept, 1);

    CHECK(compare(&before, &after) == TRIED_STILL);
    after.resident_peak = 40;
    CHECK(compare(&before, &after) == TRIED_LESS);
}

TEST(tried_repeats_what_the_adapters_of_all_processes_say)
{
    const struct process_report before = report_of(NULL, 0);
    const struct process_report after[] = {{.program = "p", .remedy_note = "With --try dispose: one."},
                                           {.program = "p"},
                                           {.program = "q", .remedy_note = "With --try dispose: two."}};
    struct diagnosis plain = {.processes = &before, .process_count = 1, .arena = arena_new()};
    const struct diagnosis with = {.processes = after, .process_count = 3};
    struct why why = {""};

    CHECK_EQ(tried_compare(&plain, &with, "dispose", &why), 0);
    CHECK_TEXT(plain.tried->returned, "With --try dispose: one. With --try dispose: two.");
    arena_free(plain.arena);
}

TEST(tried_compares_with_the_process_that_speaks_for_the_program)
{
    const struct finding leak = leak_at(&here, 1000);
    const struct process_report before = report_of(&leak, 1);
    struct process_report after[] = {report_of(NULL, 0), report_of(NULL, 0), report_of(&leak, 1)};
    struct diagnosis plain = {.processes = &before, .process_count = 1, .arena = arena_new()};
    const struct diagnosis with = {.processes = after, .process_count = 3};
    struct why why = {""};

    after[0].seconds = 60;
    after[1].verdict = KIND_undecided; /* a loader's worker: too brief to say anything */
    after[1].clock = CLOCK_time;
    after[1].allocated_bytes = 1 << 30;
    after[1].seconds = 1;
    after[2].program = "another";
    CHECK_EQ(tried_compare(&plain, &with, "trim", &why), 0);
    CHECK_EQ(plain.tried->conclusion, TRIED_GONE);
    arena_free(plain.arena);
}

TEST(tried_knows_its_remedies_by_name)
{
    char names[128];

    CHECK(try_find("trim") && try_find("trim")->request != 0 && !try_find("trim")->environment);
    CHECK(try_find("arenas=1") && try_find("arenas=1")->environment != NULL);
    CHECK(!try_find("arenas") && !try_find(""));
    CHECK_TEXT(try_names(names, sizeof(names)),
               "trim, arenas=1, clear_session, drop-gradient-registry, gc, dispose");
}
