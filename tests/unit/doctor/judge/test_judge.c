/* Judging a process whose ledger is made by hand: one size class, one site, whole numbers. */
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/run/examine.h"
#include "doctor/facts/rules.h"
#include "fake.h"
#include "test.h"

TEST(a_block_kept_each_step_is_a_leak)
{
    const struct process_report report = judged(fake_leak(60), NULL);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.clock, CLOCK_mark);
    CHECK_EQ(report.clock_count, 60);
    CHECK_EQ(report.finding_count, 1);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
    CHECK(report.findings[0].rate.low <= SIZE && report.findings[0].rate.high >= SIZE);
    CHECK(report.findings[0].evicted_nothing);
    CHECK_EQ(report.findings[0].since, 1);
    CHECK_CONTAINS(report.findings[0].summary, "nothing was released in 60 steps");
    CHECK_CONTAINS(report.findings[0].evidence[0], "36 of 36 blocks allocated in steps 13-48");
    CHECK_CONTAINS(report.answer, "1.0 KB per step since step 1");
}

TEST(survival_by_birth_step_adds_up)
{
    const struct process_report report = judged(fake_leak(80), NULL);
    const struct finding *finding = &report.findings[0];
    uint64_t born = 0, alive = 0;

    CHECK_EQ(finding->survival_count, RULE_SEGMENTS);
    for (size_t i = 0; i < finding->survival_count; i++) {
        born += finding->survival[i].born;
        alive += finding->survival[i].alive;
    }
    CHECK_EQ(born, 80);
    CHECK_EQ(alive, 80);
}

TEST(what_is_released_after_the_last_step_was_kept)
{
    struct fake *fake = fake_leak(60);

    for (unsigned i = 0; i < 60; i++)
        fake_death(fake, fake->blocks[i].birth, 61);
    fake->model.block_count = 0;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
}

TEST(a_ring_that_is_full_is_no_leak)
{
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= 200; i++) {
        if (i > 30)
            fake_death(fake, i - 30, i);
        fake_step(fake, i < 30 ? i : 30);
    }
    for (unsigned i = 171; i <= 200; i++)
        fake_block(fake, i);
    CHECK(judged(fake, NULL).verdict < KIND_undecided);
}

TEST(a_finding_is_withdrawn_when_its_cohort_dies)
{
    struct fake *fake = fake_leak(60);

    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
    fake->model.block_count = 0;
    for (unsigned i = 1; i <= 60; i++)
        fake_death(fake, i, 61);
    fake_step(fake, 0);
    for (unsigned i = 62; i <= 95; i++) {
        fake_block(fake, i);
        fake_step(fake, i - 61);
    }
    CHECK(judged(fake, NULL).verdict < KIND_undecided);
}

TEST(a_store_that_stopped_growing_is_a_plateau)
{
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= 300; i++) {
        if (i <= 100)
            fake_block(fake, i);
        fake_step(fake, i < 100 ? i : 100);
    }
    CHECK_EQ(judged(fake, NULL).verdict, KIND_plateau);
}

TEST(few_steps_leave_it_undecided_and_say_how_many_more)
{
    const struct process_report report = judged(fake_leak(20), NULL);

    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK_EQ(report.findings[0].more_steps, RULE_FIRST_LOOK - 20);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
}

TEST(flat_memory_is_clean)
{
    struct fake *fake = fake_new();
    struct process_report report;

    for (unsigned i = 1; i <= 100; i++)
        fake_step(fake, 50 + i % 3);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK_EQ(report.finding_count, 0);
    CHECK(report.confidence > 0.9);
}

TEST(without_a_step_it_is_too_early_to_say)
{
    const struct process_report report = judged(fake_new(), NULL);

    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK(report.early);
    CHECK_CONTAINS(report.answer, "Too early to say");
    CHECK_EQ(report.note_count, 1);
}

/* Makes all blocks of the class of `size` in place of SIZE. */
static void resize(struct fake *fake, uint32_t size)
{
    for (size_t i = 0; i < fake->model.block_count; i++)
        fake->blocks[i].size = fake->blocks[i].weight = size;
    fake->site.class_index = ledger_class(size);
    fake->model.head.watched = 1ull << ledger_class(size);
    fake->model.totals.watched_since[ledger_class(size)] = 1;
    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].class_blocks[ledger_class(SIZE)] = 0;
        fake->steps[i].class_blocks[ledger_class(size)] = (uint32_t)i + 1;
        fake->steps[i].live_bytes = fake->steps[i].live_min = fake->steps[i].live_max =
            (i + 1) * size;
    }
}

/* 100 B per step: told as a note, unless the limit is near. */
TEST(small_growth_is_a_note_until_a_limit_is_near)
{
    struct fake *fake = fake_leak(100);
    struct limit_record limit = {.kind = LIMIT_MACHINE, .bytes = 1ull << 40, .used = 0};
    struct model own = {.limits = &limit, .limit_count = 1};
    const struct run run = {.own = &own};
    struct process_report report;

    resize(fake, 100);
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK_EQ(report.finding_count, 1);
    CHECK(report.findings[0].note);
    CHECK_EQ(report.findings[0].demoted, DEMOTED_floor);
    limit.bytes = 100 * 3600; /* an hour's growth, at a step per second */
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(report.forecast.known);
    CHECK(report.forecast.seconds_low <= 3600 && report.forecast.seconds_high >= 3600);
    limit.bytes = 100 * 20000; /* within a day, but 200 times as long as the run */
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK(report.findings[0].note);
}

/* Samples say 1000 bytes per step, the exact counter 500: the rate follows the counter, and the bounds of
 * the forecast follow the rate. */
TEST(bounds_stay_in_order_where_less_grew_than_was_sampled)
{
    struct fake *fake = fake_leak(100);
    struct limit_record limit = {.kind = LIMIT_MACHINE, .bytes = 1ull << 30, .used = 0};
    struct model own = {.limits = &limit, .limit_count = 1};
    const struct run run = {.own = &own};
    struct process_report report;

    for (size_t i = 0; i < fake->model.step_count; i++)
        fake->steps[i].live_bytes = fake->steps[i].live_min = fake->steps[i].live_max =
            (i + 1) * SIZE / 2;
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE / 2);
    CHECK(report.findings[0].rate.low <= report.findings[0].rate.estimate);
    CHECK(report.findings[0].rate.estimate <= report.findings[0].rate.high);
    CHECK(report.forecast.known);
    CHECK(report.forecast.steps_low <= (double)limit.bytes / (SIZE / 2));
    CHECK(report.forecast.steps_high >= (double)limit.bytes / (SIZE / 2));
    CHECK(report.forecast.seconds_low <= report.forecast.seconds_high);
}

/* The same program by another clock. */
static struct fake *by_clock(struct fake *fake, enum clock_id clock)
{
    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].clock[clock] = fake->steps[i].clock[CLOCK_mark];
        fake->steps[i].clock[CLOCK_mark] = 0;
    }
    return fake;
}

TEST(steps_are_called_what_they_are)
{
    struct process_report report = judged(by_clock(fake_leak(60), CLOCK_request), NULL);

    CHECK_CONTAINS(report.answer, "1.0 KB per request since request 1, and nothing was released in 60 "
                                  "requests");
    CHECK_CONTAINS(report.findings[0].evidence[0], "36 of 36 blocks allocated in requests 13-48");
    CHECK(!strstr(report.findings[0].summary, "step"));
}

TEST(plurals_of_ticks_are_right)
{
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= 100; i++)
        fake_step(fake, 50 + i % 3);
    CHECK_TEXT(judged(by_clock(fake, CLOCK_batch), NULL).answer, "No: nothing grew in 100 batches.");
}

/* All goes with one collection; whether the interpreter would have made it by itself decides the answer. */
TEST(what_waits_for_a_collector_that_is_off_grows_without_end)
{
    struct fake *fake = fake_collected(60 * SIZE);
    struct intervention_record list[3] = {
        {.kind = INTERVENTION_COLLECTOR_OFF, .ordinal = 61}, fake->model.interventions[0],
        {.kind = INTERVENTION_COLLECTOR_ON, .ordinal = 61}};
    struct process_report report = judged(fake, NULL);

    CHECK_EQ(report.verdict, KIND_gc_lag);
    CHECK_CONTAINS(report.answer, "No: garbage waits for the collector");
    fake->model.interventions = list;
    fake->model.intervention_count = 2;
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_gc_lag);
    CHECK(report.endless && report.findings[0].endless);
    CHECK_CONTAINS(report.answer, "Yes: garbage grows by 1.0 KB per step since step 1, without end: Python's "
                                  "collector is switched off.");
    CHECK_CONTAINS(report.findings[0].remedy.text, "Switch Python's collector on");
    fake->model.intervention_count = 3;
    CHECK(!judged(fake, NULL).endless);
    fake->model.intervention_count = 2;
    for (size_t i = 0; i < fake->model.step_count; i++)
        fake->steps[i].gauges[GAUGE_python_collections] = i; /* it was off for a moment */
    CHECK(!judged(fake, NULL).endless);
}

/* A list held the blocks until its function returned. Then came two collections, and the first freed them. */
TEST(what_was_held_to_the_end_is_kept_whichever_collection_at_the_end_freed_it)
{
    struct fake *fake = fake_collected(60 * SIZE);
    struct intervention_record two[] = {fake->model.interventions[0],
                                        {.kind = INTERVENTION_COLLECT, .ordinal = 62}};
    struct holder_record record = {
        .site = 1, .ordinal = 40, .state = HOLDER_DONE, .targets = 20, .reached = 20};
    struct model_owner owners[] = {
        {.holder = 1, .kind = OWNER_FRAME, .name = "main", .type = "", .file = ""},
        {.holder = 1, .kind = OWNER_LOCAL, .name = "outputs", .type = "list", .file = ""},
    };

    fake->model.holders = &record;
    fake->model.owners = owners;
    fake->model.holder_count = 1;
    fake->model.owner_count = 2;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
    fake->model.interventions = two;
    fake->model.intervention_count = 2;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
}

TEST(after_a_kill_for_want_of_memory_nothing_is_foretold)
{
    struct fake *fake = fake_leak(100);
    struct limit_record limit = {.kind = LIMIT_MACHINE, .bytes = 1ull << 20, .used = 900 << 10};
    struct process_record record = {.pid = 7, .flags = PROCESS_ROOT | PROCESS_OOM_KILLED, .end = 1};
    struct model own = {
        .limits = &limit, .limit_count = 1, .processes = &record, .process_count = 1};
    const struct run run = {.own = &own};
    struct process_report report;

    fake->model.head.pid = 7;
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(!report.forecast.known);
    CHECK(!strstr(report.answer, "Out of memory in"));
    CHECK_CONTAINS(report.answer, "; it was killed when memory ran out.");
    fake->model.head.pid = 8;
    report = judged(fake, &run);
    CHECK(!report.forecast.known);
    CHECK_CONTAINS(report.answer, "; the run ended when memory ran out.");
    record.flags = PROCESS_ROOT;
    CHECK_CONTAINS(judged(fake, &run).answer, "Out of memory in about");
}

/* A detached loss per step in a list: a record of the run, where objects are managed. */
TEST(a_short_record_of_each_step_is_a_note_in_python)
{
    struct model_code code = {.file = "train.py", .name = "main"};
    struct fake *fake = fake_leak(100);
    struct process_report report;

    resize(fake, 640);
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_retained);
    fake->model.code = &code;
    fake->model.code_count = 1;
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK_EQ(report.finding_count, 1);
    CHECK(report.findings[0].note);
}

/* 40 B per step beside 1000: the limit is near, but not because of them. */
TEST(next_to_nothing_beside_a_leak_stays_a_note)
{
    static struct model_site sites[2];
    struct fake *fake = fake_leak(100);
    struct limit_record limit = {.kind = LIMIT_MACHINE, .bytes = SIZE * 600, .used = 0};
    struct model own = {.limits = &limit, .limit_count = 1};
    const struct run run = {.own = &own};
    struct process_report report;

    sites[0] = sites[1] = fake->site;
    sites[1].class_index = ledger_class(40);
    sites[1].stack = 2;
    fake->model.sites = sites;
    fake->model.site_count = 2;
    fake->model.head.watched |= 1ull << ledger_class(40);
    fake->model.totals.watched_since[ledger_class(40)] = 1;
    for (unsigned i = 0; i < 100; i++) {
        fake->blocks[100 + i] = fake->blocks[i];
        fake->blocks[100 + i].size = fake->blocks[100 + i].weight = 40;
        fake->blocks[100 + i].address += 8;
        fake->blocks[100 + i].site = 2;
        fake->steps[i].class_blocks[ledger_class(40)] = i + 1;
        fake->steps[i].live_blocks += i + 1;
    }
    fake->model.block_count = 200;
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.finding_count, 2);
    CHECK(!report.findings[0].note);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
    CHECK(report.findings[1].note);
}

/* The same growth, along slices of time: in a loop it is a leak, in an import it is loading. */
TEST(what_an_import_makes_is_no_leak_along_time)
{
    struct model_code code = {.file = "train.py", .name = "main"};
    struct fake *fake = fake_leak(300);

    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].clock[CLOCK_mark] = 0;
        fake->steps[i].clock[CLOCK_time] = i + 1;
    }
    fake->frame = (struct model_frame){.kind = FRAME_PYTHON, .unit = 1};
    fake->model.code = &code;
    fake->model.code_count = 1;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
    code.file = "<frozen importlib._bootstrap_external>";
    CHECK(judged(fake, NULL).verdict != KIND_retained);
    for (size_t i = 0; i < fake->model.step_count; i++)
        fake->steps[i].clock[CLOCK_mark] = i + 1;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained); /* reloading in each step */
}

TEST(what_a_collection_releases_waited_for_it)
{
    CHECK_EQ(judged(fake_collected(60 * SIZE), NULL).verdict, KIND_gc_lag);
}

/* 60 steps, each of which leaves a block. A collection at step `at`, before the first block, freed
 * `freed`. */
static struct process_report after_a_collection(uint64_t at, uint64_t freed)
{
    static struct intervention_record collection;
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= 100; i++) {
        if (i > at)
            fake_block(fake, i);
        fake_step(fake, i > at ? i - (unsigned)at : 0);
    }
    fake->site.first = at + 1;
    collection = (struct intervention_record){
        .kind = INTERVENTION_COLLECT, .ordinal = at, .live_before = 10000000,
        .live_after = 10000000 - freed};
    fake->model.interventions = &collection;
    fake->model.intervention_count = 1;
    return judged(fake, NULL);
}

TEST(blocks_that_no_collection_met_may_be_the_garbage_that_it_freed_before)
{
    const struct process_report report = after_a_collection(20, 20 * SIZE);

    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK_CONTAINS(report.findings[0].summary, "the last collection ran before this memory was allocated");
}

TEST(a_collection_that_freed_little_does_not_excuse_what_grows_after_it)
{
    CHECK_EQ(after_a_collection(20, SIZE).verdict, KIND_retained);
}

TEST(what_the_program_let_go_before_the_collection_was_held)
{
    CHECK_EQ(judged(fake_collected(1000), NULL).verdict, KIND_retained);
}

/* The holder of a leak's blocks: a variable of the program with this type, length and bound. */
static struct process_report held_since(uint64_t ordinal, const char *type, uint64_t length, uint64_t bound,
                                        uint64_t hits)
{
    static struct holder_record holder;
    static struct model_owner owners[3];
    struct fake *fake = fake_leak(60);

    owners[0] = (struct model_owner){
        .holder = 1, .kind = OWNER_MODULE, .name = "__main__", .type = "module", .file = "/a.py"};
    owners[1] = (struct model_owner){.holder = 1,
                                     .kind = OWNER_ATTRIBUTE,
                                     .name = "kept",
                                     .type = type,
                                     .file = "",
                                     .length = length,
                                     .bound = bound,
                                     .hits = hits,
                                     .misses = hits ? length : 0};
    owners[2] =
        (struct model_owner){.holder = 1, .kind = OWNER_KEY, .name = "3", .type = "", .file = ""};
    holder = (struct holder_record){
        .ordinal = ordinal, .site = 1, .state = HOLDER_DONE, .targets = 4, .reached = 4};
    fake->model.holders = &holder;
    fake->model.holder_count = 1;
    fake->model.owners = owners;
    fake->model.owner_count = 3;
    return judged(fake, NULL);
}

static struct process_report held_by(const char *type, uint64_t length, uint64_t bound, uint64_t hits)
{
    return held_since(60, type, length, bound, hits);
}

TEST(a_container_below_its_declared_bound_will_stop)
{
    const struct process_report report = held_by("collections.deque", 60, 600, 0);

    CHECK_EQ(report.verdict, KIND_plateau);
    CHECK_TEXT(report.findings[0].summary, "Will stop at maxlen=600: about 586 KB.");
    CHECK_TEXT(report.findings[0].held_by, "__main__.kept[…]");
    CHECK_CONTAINS(report.answer, "No: will stop at maxlen=600");
    CHECK(!report.findings[0].evicted_nothing);
    CHECK(!report.forecast.known);
}

/* One block per step: 20 were there when it was looked at, after step 20 of 60. */
TEST(the_final_size_of_a_container_is_of_the_moment_of_its_length)
{
    const struct process_report report = held_since(20, "collections.deque", 20, 600, 0);

    CHECK_TEXT(report.findings[0].summary, "Will stop at maxlen=600: about 586 KB.");
}

TEST(a_bound_that_is_reached_changes_nothing)
{
    CHECK_EQ(held_by("collections.deque", 60, 60, 0).verdict, KIND_retained);
}

TEST(a_programs_own_mapping_is_retained)
{
    CHECK_EQ(held_by("dict", 60, 0, 0).verdict, KIND_retained);
}

TEST(a_decorators_cache_without_a_bound_is_an_unbounded_cache)
{
    const struct process_report report = held_by("functools._lru_cache_wrapper", 60, 0, 3);
    const struct finding *finding = &report.findings[0];

    CHECK_EQ(report.verdict, KIND_unbounded_cache);
    CHECK_CONTAINS(finding->evidence[finding->evidence_count - 1], "3 of 63 calls were hits (5%)");
}

TEST(a_full_container_is_not_what_grows)
{
    const struct process_report report = held_by("collections.deque", 60, 60, 0);

    CHECK(!report.findings[0].held_by);
    CHECK_EQ(report.findings[0].holder_count, 0);
}

TEST(judging_survives_every_refused_allocation)
{
    const struct fake *fake = fake_leak(60);
    unsigned refused = 0;

    for (unsigned long n = 1; n < 200; n++) {
        struct process_report report = {.pid = 0};
        struct arena *arena = arena_new();
        struct why why = {""};
        int err;

        mem_fail_at(n);
        err = examine_process(&report, &fake->model, NULL, NULL, arena, &why);
        mem_fail_at(0);
        CHECK(err == 0 || err == ERR_NOMEM);
        refused += err != 0;
        arena_free(arena);
    }
    CHECK(refused > 0);
}

/* Blocks of a second size, made by the same stack, came until step 120 and stayed. */
TEST(a_line_that_leaks_is_not_a_plateau_too)
{
    static struct model_site sites[2];
    const unsigned large = ledger_class(8000);
    struct fake *fake = fake_leak(200);

    sites[0] = fake->site;
    sites[1] = fake->site;
    sites[1].class_index = (uint8_t)large;
    sites[1].live_weight = sites[1].born_weight = 120 * 8000;
    fake->model.sites = sites;
    fake->model.site_count = 2;
    fake->model.totals.classes[large].born_blocks = 120;
    fake->model.totals.classes[large].born_bytes = 120 * 8000;
    for (unsigned i = 0; i < 200; i++) {
        const uint32_t blocks = i < 120 ? i + 1 : 120;

        fake->steps[i].class_blocks[large] = blocks;
        fake->steps[i].live_min += blocks * 8000ull;
        fake->steps[i].live_bytes = fake->steps[i].live_max = fake->steps[i].live_min;
    }
    CHECK_EQ(judged(fake, NULL).verdict, KIND_retained);
    CHECK_EQ(judged(fake, NULL).finding_count, 1);
}
