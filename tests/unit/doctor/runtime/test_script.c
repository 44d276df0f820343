/* Judging programs of JavaScript: what nothing but its collector releases. */
#include <string.h>

#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/measure/series.h"
#include "doctor/runtime/script.h"
#include "fake.h"
#include "ledger/model.h"
#include "ledger/unsearched.h"
#include "test.h"

#define MEGABYTE (1024u * 1024u)

/* Blocks that are gone at the end, at 61, after this intervention. Garbage stays for
 * as long as the engine likes: without a collection while the program ran, nobody knows. */
static enum kind judged_script(enum intervention_kind kind, uint64_t ordinal, uint64_t last)
{
    static struct intervention_record two[2];
    struct fake *fake = fake_collected(60 * SIZE);

    two[0] = (struct intervention_record){.kind = kind, .ordinal = ordinal};
    two[1] = (struct intervention_record){.kind = INTERVENTION_COLLECT, .ordinal = last};
    fake->model.interventions = two;
    fake->model.intervention_count = 2;
    fake_script(fake);
    return judged(fake, NULL).verdict;
}

TEST(what_only_the_end_of_a_script_released_is_not_decided)
{
    CHECK_EQ(judged_script(INTERVENTION_TRIM, 50, 61), KIND_undecided);
}

TEST(what_a_heap_written_at_the_end_released_is_not_decided)
{
    CHECK_EQ(judged_script(INTERVENTION_SNAPSHOT, 61, 63), KIND_undecided);
}

TEST(what_was_gone_before_the_collection_of_a_script_is_not_decided)
{
    CHECK_EQ(judged_script(INTERVENTION_TRIM, 61, 63), KIND_undecided);
}

TEST(what_outlives_a_collection_of_a_running_script_is_held)
{
    CHECK_EQ(judged_script(INTERVENTION_COLLECT, 50, 61), KIND_retained);
}

TEST(what_was_made_after_a_collection_that_met_the_set_up_alone_is_not_decided)
{
    CHECK_EQ(judged_script(INTERVENTION_COLLECT, 10, 61), KIND_undecided);
}

TEST(what_outlives_the_writing_of_a_heap_is_held)
{
    CHECK_EQ(judged_script(INTERVENTION_SNAPSHOT, 50, 61), KIND_retained);
}

/* The same where the engine has collected by itself in these steps; `first` 0: once. */
static enum kind judged_engine(unsigned first, unsigned second)
{
    struct fake *fake = fake_collected(60 * SIZE);

    fake_script(fake);
    for (unsigned i = 0; i < fake->model.step_count; i++)
        fake->steps[i].gauges[GAUGE_collections] =
            (first && i + 1 >= first ? 1u : 0u) + (i + 1 >= second ? 1u : 0u);
    return judged(fake, NULL).verdict;
}

TEST(what_outlives_two_collections_of_the_engine_is_held)
{
    CHECK_EQ(judged_engine(45, 55), KIND_retained);
}

TEST(what_was_made_while_the_engine_may_have_marked_is_not_decided)
{
    CHECK_EQ(judged_engine(0, 55), KIND_undecided);
}

/* ---- the heap, behind collections ---- */

/* A collection every tenth step of the first 100 of `steps`; `kept`: what each has left. `more`: bytes that
 * are in use in each step behind them beside what the last one left, until a worker takes its heap along
 * in step `left`; 0: none does. `refused`: a snapshot that was not taken; NULL: none was wanted. */
static struct process_report judged_until(const uint64_t kept[10], unsigned steps, uint64_t more,
                                          unsigned left, const struct intervention_record *refused)
{
    static struct intervention_record collections[11];
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < steps; i++) {
        fake_step(fake, 1);
        fake->steps[i].gauges[GAUGE_heap_kept] = kept[i < 100 ? i / 10 : 9];
        fake->steps[i].gauges[GAUGE_collections] = i < 100 ? i / 10 : 9;
    }
    fake_script(fake);
    for (unsigned i = 100; i < steps; i++)
        fake->steps[i].gauges[GAUGE_heap_used] = left && i + 1 >= left ? MEGABYTE : kept[9] + more * (i - 99);
    for (unsigned i = 0; i < 10; i++)
        collections[i] =
            (struct intervention_record){.kind = INTERVENTION_COLLECT, .ordinal = 10 * i + 1};
    collections[10] = (struct intervention_record){.kind = INTERVENTION_WORKER, .ordinal = left};
    if (refused)
        collections[10] = *refused;
    fake->model.interventions = collections;
    fake->model.intervention_count = left || refused ? 11 : 10;
    return judged(fake, NULL);
}

static struct process_report judged_longer(const uint64_t kept[10], unsigned steps, uint64_t more)
{
    return judged_until(kept, steps, more, 0, NULL);
}

static struct process_report judged_heap(const uint64_t kept[10])
{
    return judged_longer(kept, 100, 0);
}

static void rise(uint64_t kept[10])
{
    for (unsigned i = 0; i < 10; i++)
        kept[i] = 20 * MEGABYTE + i * MEGABYTE;
}

static void swing(uint64_t kept[10])
{
    for (unsigned i = 0; i < 10; i++)
        kept[i] = 20 * MEGABYTE + (i % 3) * MEGABYTE;
}

/* ---- a snapshot that was not taken ---- */

static const struct finding *refused(struct process_report *report, uint32_t why, uint64_t expected,
                                     uint64_t most)
{
    const struct intervention_record record = {.kind = INTERVENTION_NO_SNAPSHOT,
                                               .ordinal = 60,
                                               .unsearched = why,
                                               .expected_ns = expected,
                                               .most_ns = most};
    uint64_t kept[10];

    rise(kept);
    *report = judged_until(kept, 100, 0, 0, &record);
    CHECK(report->finding_count > 0 && report->findings[0].heap);
    return &report->findings[0];
}

TEST(a_finding_says_how_long_the_snapshot_would_have_taken_that_it_lacks)
{
    struct process_report report;
    const struct finding *finding = refused(&report, UNSEARCHED_heap_pause, 3120000000u, 500000000u);

    CHECK_TEXT(finding->unsearched, "a heap snapshot would pause the program for about 3.1 s, more than "
                                    "--max-pause 500 ms");
    CHECK_EQ(finding->unsearched_pause, 3120000000u);
    CHECK_EQ(finding->unsearched_most, 500000000u);
    CHECK_TEXT(refused(&report, UNSEARCHED_heap_pause, 730000000u, 500000000u)->unsearched,
               "a heap snapshot would pause the program for about 730 ms, more than --max-pause 500 ms");
}

TEST(a_finding_says_why_there_is_no_snapshot)
{
    struct process_report report;
    uint64_t kept[10];

    CHECK_TEXT(refused(&report, UNSEARCHED_no_snapshot, 0, 0)->unsearched, "--no-snapshot");
    CHECK(!refused(&report, 63, 0, 0)->unsearched); /* a newer tare wrote it */
    rise(kept);
    report = judged_heap(kept);
    CHECK(report.finding_count > 0 && !report.findings[0].unsearched);
}

TEST(a_heap_that_is_larger_behind_each_collection_leaks)
{
    uint64_t kept[10];
    struct process_report report;

    rise(kept);
    report = judged_heap(kept);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(report.findings[0].heap);
    CHECK(report.findings[0].rate.estimate > 0.09 * MEGABYTE &&
          report.findings[0].rate.estimate < 0.11 * MEGABYTE);
}

TEST(a_heap_that_goes_on_behind_the_last_collection_leaks)
{
    uint64_t kept[10];

    rise(kept);
    CHECK_EQ(judged_longer(kept, 300, MEGABYTE / 10).verdict, KIND_retained);
}

TEST(a_heap_that_goes_on_until_its_worker_ends_leaks)
{
    uint64_t kept[10];

    rise(kept);
    CHECK_EQ(judged_until(kept, 200, MEGABYTE / 10, 198, NULL).verdict, KIND_retained);
}

TEST(a_heap_that_stops_behind_the_last_collection_does_not)
{
    uint64_t kept[10];

    rise(kept);
    CHECK(judged_longer(kept, 300, MEGABYTE / 100).verdict != KIND_retained);
}

TEST(a_heap_that_leaks_and_lets_go_of_old_code_at_last_leaks)
{
    uint64_t kept[10];

    rise(kept);
    kept[9] = kept[7];
    CHECK_EQ(judged_heap(kept).verdict, KIND_retained);
}

TEST(a_heap_that_warms_up_is_clean)
{
    uint64_t kept[10];

    for (unsigned i = 0; i < 10; i++)
        kept[i] = 20 * MEGABYTE + (i < 4 ? i : 4) * MEGABYTE + (i % 2) * 1000;
    CHECK_EQ(judged_heap(kept).verdict, KIND_clean);
}

TEST(a_heap_that_swings_is_clean)
{
    uint64_t kept[10];

    swing(kept);
    CHECK_EQ(judged_heap(kept).verdict, KIND_clean);
}

/* A collection every step of 300; `kept(i)`: what it has left. */
static enum kind judged_often(uint64_t (*kept)(unsigned))
{
    static struct intervention_record first;
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 300; i++) {
        fake_step(fake, 1);
        fake->steps[i].gauges[GAUGE_heap_kept] = kept(i);
        fake->steps[i].gauges[GAUGE_collections] = i;
    }
    fake_script(fake);
    first = (struct intervention_record){.kind = INTERVENTION_COLLECT, .ordinal = 1};
    fake->model.interventions = &first;
    fake->model.intervention_count = 1;
    return judged(fake, NULL).verdict;
}

static uint64_t leaks_and_drops(unsigned i)
{
    return 20 * MEGABYTE + i * MEGABYTE / 20 - (i % 7 == 3 ? MEGABYTE / 10 : 0);
}

static uint64_t is_emptied(unsigned i)
{
    return 20 * MEGABYTE + i % 15 * MEGABYTE + i;
}

static uint64_t fills_up(unsigned i)
{
    return 20 * MEGABYTE + (i < 120 ? i : 120) * MEGABYTE / 20 + i % 2;
}

TEST(a_heap_that_leaks_for_long_and_drops_now_and_then_leaks)
{
    CHECK_EQ(judged_often(leaks_and_drops), KIND_retained);
}

TEST(a_heap_that_is_emptied_again_and_again_for_long_is_clean)
{
    CHECK_EQ(judged_often(is_emptied), KIND_clean);
}

TEST(a_heap_that_fills_up_in_a_long_run_is_clean)
{
    CHECK_EQ(judged_often(fills_up), KIND_clean);
}

/* ---- native memory behind small objects ---- */

/* A block each step for 90 steps, all released by collections at 30, 60 and 90. `known`: how many bytes the
 * engine itself counts before each of them. */
static struct process_report judged_native(uint64_t known)
{
    static struct intervention_record collections[3];
    struct fake *fake = fake_new();

    fake->frame.kind = FRAME_JS;
    for (unsigned i = 0; i < 90; i++) {
        fake_death(fake, i + 1, (i / 30 + 1) * 30 + 1);
        fake_step(fake, i % 30 + 1);
        fake->steps[i].gauges[GAUGE_external] = 1000 + known * (i % 30) / 29;
    }
    fake_step(fake, 0);
    fake_step(fake, 0);
    fake_script(fake);
    fake->site.born_weight = 90ull * MEGABYTE;
    for (unsigned i = 0; i < 3; i++)
        collections[i] = (struct intervention_record){.kind = INTERVENTION_COLLECT,
                                                      .ordinal = 30 * (i + 1) + 1,
                                                      .live_before = 30 * MEGABYTE};
    fake->model.interventions = collections;
    fake->model.intervention_count = 3;
    return judged(fake, NULL);
}

TEST(what_waits_behind_objects_that_look_small_waits_for_the_collector)
{
    CHECK_EQ(judged_native(0).verdict, KIND_gc_lag);
}

TEST(what_the_engine_itself_counts_does_not_wait)
{
    CHECK_EQ(judged_native(30ull * MEGABYTE).verdict, KIND_clean);
}

/* ---- workers that end ---- */

/* A worker makes a block each step for 60 steps and ends; `early`: as many die in the step after their birth,
 * the others with it. `from`, `to`: its heap behind its first and its latest collection. */
static bool told_of_worker(unsigned early, uint64_t from, uint64_t to)
{
    static struct intervention_record end;
    struct fake *fake = fake_new();
    struct process_report report;

    fake->frame.kind = FRAME_JS;
    for (unsigned i = 1; i <= 60; i++) {
        fake_death(fake, i, i <= early ? i + 1 : 61);
        fake_step(fake, i);
    }
    for (unsigned i = 0; i < 40; i++)
        fake_step(fake, 0);
    fake_script(fake);
    fake->site.born_weight = 60ull * MEGABYTE;
    end = (struct intervention_record){.kind = INTERVENTION_WORKER, .ordinal = 61, .time = 61 * SECOND,
                                       .heap_first = from, .heap_last = to};
    fake->model.interventions = &end;
    fake->model.intervention_count = 1;
    report = judged(fake, NULL);
    CHECK(report.verdict != KIND_retained);
    for (size_t i = 0; i < report.note_count; i++)
        if (strncmp(report.notes[i], "A worker thread ended at step 61", 32) == 0)
            return true;
    return false;
}

TEST(what_a_worker_kept_until_it_ended_is_told)
{
    CHECK(told_of_worker(0, 0, 0));
}

TEST(a_worker_whose_blocks_died_before_it_is_not_accused)
{
    CHECK(!told_of_worker(30, 0, 0));
}

TEST(the_heap_of_a_worker_that_rose_until_it_ended_is_told)
{
    CHECK(told_of_worker(60, 5 * MEGABYTE, 9 * MEGABYTE));
}

/* A server of `fake` requests whose last collection came at step `seen` of 300. In use: what that left, then
 * `more` bytes with each step. */
static struct process_report judged_server(unsigned seen, uint64_t more)
{
    static struct intervention_record collection;
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 300; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, 1);
        step->clock[CLOCK_mark] = 0;
        step->clock[CLOCK_request] = 4 * (i + 1);
        step->ticked = 1u << CLOCK_request;
        step->gauges[GAUGE_heap_kept] = i + 1 < seen ? 0 : 8 * MEGABYTE;
        step->gauges[GAUGE_heap_used] = 8 * MEGABYTE + more * (i + 1 > seen ? i + 1 - seen : 0);
        step->gauges[GAUGE_collections] = i + 1 >= seen;
    }
    fake->model.head.state = STATE_LAST_ROUND;
    collection = (struct intervention_record){.kind = INTERVENTION_COLLECT, .ordinal = seen};
    fake->model.interventions = &collection;
    fake->model.intervention_count = 1;
    return judged(fake, NULL);
}

TEST(a_server_whose_end_no_collection_has_seen_is_not_decided)
{
    CHECK_EQ(judged_server(100, 20000).verdict, KIND_undecided);
}

TEST(a_server_whose_end_a_collection_has_seen_is_clean)
{
    CHECK_EQ(judged_server(290, 200000).verdict, KIND_clean);
}

TEST(a_server_that_uses_no_more_at_its_end_needs_no_further_collection)
{
    CHECK_EQ(judged_server(100, 0).verdict, KIND_clean);
}

/* Step records are dense at the beginning: half of them are in the first eighth of the requests. */
TEST(a_heap_is_compared_along_the_requests_and_not_along_the_records)
{
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 200; i++) {
        struct step_record *step = &fake->steps[i];
        const uint64_t requests = i < 100 ? i + 1 : 100 + 7 * (i - 99);

        fake_step(fake, 1);
        step->clock[CLOCK_request] = requests;
        step->gauges[GAUGE_heap_used] = i < 100 || requests >= 600 ? 9 * MEGABYTE : 8 * MEGABYTE;
    }
    CHECK(script_heap_suspect(&fake->model));
}

/* ---- scripts that never return to their event loop ---- */

/* As judged_heap(), but nothing ticks: slices of time are the clock. */
static struct process_report judged_silent(const uint64_t kept[10])
{
    static struct intervention_record collections[10];
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 100; i++)
        fake_step(fake, 1);
    fake_script(fake);
    for (unsigned i = 0; i < 100; i++) {
        fake->steps[i].clock[CLOCK_mark] = 0;
        fake->steps[i].clock[CLOCK_time] = i + 1;
        fake->steps[i].ticked = 1u << CLOCK_time;
        fake->steps[i].gauges[GAUGE_heap_kept] = fake->steps[i].gauges[GAUGE_heap_used] = kept[i / 10];
        fake->steps[i].gauges[GAUGE_collections] = i / 10;
    }
    for (unsigned i = 0; i < 10; i++)
        collections[i] =
            (struct intervention_record){.kind = INTERVENTION_COLLECT, .ordinal = 10 * i + 1};
    fake->model.interventions = collections;
    fake->model.intervention_count = 10;
    return judged(fake, NULL);
}

TEST(a_heap_that_grows_without_steps_is_not_decided)
{
    uint64_t kept[10];

    rise(kept);
    CHECK_EQ(judged_silent(kept).verdict, KIND_undecided);
}

TEST(a_heap_that_was_set_up_without_steps_is_clean)
{
    uint64_t kept[10];

    for (unsigned i = 0; i < 10; i++)
        kept[i] = 20 * MEGABYTE + (i < 4 ? i : 4) * MEGABYTE;
    CHECK_EQ(judged_silent(kept).verdict, KIND_clean);
}

TEST(a_heap_that_swings_without_steps_is_clean)
{
    uint64_t kept[10];

    swing(kept);
    CHECK_EQ(judged_silent(kept).verdict, KIND_clean);
}

/* ---- the very end ---- */

/* A block is kept in each of a hundred steps, and all go in one that is followed by `more`. */
static size_t points_of(unsigned more, uint64_t collections)
{
    struct fake *fake = fake_leak(100);
    struct arena *arena = arena_new();
    const struct clock_choice clock = {.id = CLOCK_mark};
    struct series series;

    fake->model.script_count = 1;
    fake->model.head.state = STATE_LAST_ROUND;
    for (unsigned i = 0; i <= more; i++) {
        fake_step(fake, i);
        fake->steps[fake->model.step_count - 1].gauges[GAUGE_collections] = collections;
    }
    series_build(&series, &fake->model, &clock, arena);
    CHECK_EQ(series.ticks, series.count);
    arena_free(arena);
    return series.count;
}

TEST(what_the_engine_takes_when_a_script_is_over_was_held)
{
    CHECK_EQ(points_of(0, 1), 100);
}

TEST(what_goes_without_a_collection_was_let_go)
{
    CHECK_EQ(points_of(0, 0), 101);
}

TEST(what_the_engine_takes_before_the_end_was_garbage)
{
    CHECK_EQ(points_of(20, 1), 121);
}

/* A buffer of each of 200 slices is held. Then the script is over, and all goes within `more` slices. */
static size_t slices_of(unsigned more, uint64_t collections)
{
    const struct clock_choice clock = {.id = CLOCK_time};
    struct fake *fake = fake_new();
    struct arena *arena = arena_new();
    struct series series;

    for (unsigned i = 0; i < 200 + more; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, i < 200 ? i + 1 : 200 - 200 * (i - 199) / more);
        step->clock[CLOCK_mark] = 0;
        step->clock[CLOCK_time] = i + 1;
        step->gauges[GAUGE_heap_used] = MEGABYTE;
        step->gauges[GAUGE_collections] = i < 200 ? 0 : collections;
    }
    fake->model.head.state = STATE_LAST_ROUND;
    series_build(&series, &fake->model, &clock, arena);
    arena_free(arena);
    return series.count;
}

TEST(what_the_engine_takes_in_many_slices_when_a_script_is_over_was_held)
{
    CHECK_EQ(slices_of(20, 1), 200);
}

TEST(what_goes_in_many_slices_without_a_collection_was_let_go)
{
    CHECK_EQ(slices_of(20, 0), 220);
}

TEST(what_goes_in_a_third_of_the_slices_is_not_the_end)
{
    CHECK(slices_of(100, 1) > 250);
}
