/* A clean verdict needs a closed account: ledgers in which something rises that no block explains. */
#include <string.h>

#include "base/arena.h"
#include "doctor/measure/classes.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/judge/judge.h"
#include "doctor/facts/rules.h"
#include "fake.h"
#include "test.h"

#define PIECES 80
#define PIECE 204800u

/* A piece of shared memory each step; `left`: it was unmapped, and its name is there. */
static struct fake *shared(bool left)
{
    static struct map_record maps[PIECES];
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < PIECES; i++) {
        fake_step(fake, 0);
        fake->steps[i].shared_bytes = (i + 1) * (uint64_t)PIECE;
        maps[i] = (struct map_record){.start = (left ? MAP_LEFT : 1 << 20) + i * (uint64_t)PIECE,
                                      .length = PIECE,
                                      .birth = i + 1,
                                      .site = 1,
                                      .kind = SITE_SHARED};
    }
    fake->site.kind = SITE_SHARED;
    fake->site.class_index = ledger_class(PIECE);
    fake->model.maps = maps;
    fake->model.map_count = PIECES;
    return fake;
}

TEST(shared_memory_that_is_left_under_a_name_is_held_by_it)
{
    const struct process_report left = judged(shared(true), NULL);

    CHECK_EQ(left.verdict, KIND_retained);
    CHECK_CONTAINS(left.findings[0].held_by, "name");
    CHECK_CONTAINS(left.findings[0].evidence[1], "until its name is removed");
    CHECK_CONTAINS(left.findings[0].remedy.text, "Remove the name");
}

TEST(shared_memory_that_is_mapped_is_to_be_unmapped)
{
    const struct process_report mapped = judged(shared(false), NULL);

    CHECK_EQ(mapped.verdict, KIND_retained);
    CHECK_CONTAINS(mapped.findings[0].remedy.text, "Unmap");
}

/* ---- what rises, and no block explains ---- */

#define MEGABYTE (1ull << 20)

/* A program that made no step that is counted, and whose resident size was read from outside. */
static struct run *watched(struct fake *fake, uint64_t per_second)
{
    static struct sample_record samples[100];
    static struct process_record root = {.pid = 7, .flags = PROCESS_ROOT};
    static struct account_record account = {.pid = 7};
    static struct model own = {.samples = samples,
                               .sample_count = 100,
                               .processes = &root,
                               .process_count = 1,
                               .accounts = &account,
                               .account_count = 1};
    static struct run run = {.own = &own};

    for (unsigned i = 0; i < 100; i++)
        samples[i] = (struct sample_record){.time = (i + 1) * SECOND / 10,
                                            .root_resident = 4 * MEGABYTE + i * per_second / 10};
    account.anonymous = samples[99].root_resident;
    fake->model.head.pid = 7;
    fake->model.totals.time = 10 * SECOND;
    return &run;
}

TEST(a_resident_size_that_rises_unseen_is_not_clean)
{
    struct fake *fake = fake_new();
    const struct process_report report = judged(fake, watched(fake, 50 * MEGABYTE));

    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK(!report.early);
    CHECK_EQ(report.finding_count, 1);
    CHECK_CONTAINS(report.findings[0].summary, "The resident size rose by");
    CHECK_CONTAINS(report.findings[0].summary, "over the last 7.5 s");
    CHECK_CONTAINS(report.answer, "per second");
}

TEST(pages_of_files_that_are_touched_are_clean)
{
    struct fake *fake = fake_new();
    struct run *run = watched(fake, 50 * MEGABYTE);

    run->own->accounts[0].file = run->own->accounts[0].anonymous;
    run->own->accounts[0].anonymous = MEGABYTE;
    CHECK_EQ(judged(fake, run).verdict, KIND_clean);
}

TEST(a_resident_size_that_stands_is_clean)
{
    struct fake *fake = fake_new();

    CHECK_EQ(judged(fake, watched(fake, 0)).verdict, KIND_clean);
}

TEST(few_blocks_that_grow_along_time_are_not_clean)
{
    struct fake *fake = fake_new();
    struct process_report report;

    for (unsigned i = 0; i < 200; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, 8 + i / 20);
        step->time = step->first * SECOND / 100;
        step->clock[CLOCK_time] = step->first;
        step->clock[CLOCK_mark] = 0;
        step->live_bytes = step->live_min = step->live_max = (8 + i / 20) * MEGABYTE;
        step->resident = 30 * MEGABYTE;
    }
    fake->model.totals.time = 2 * SECOND;
    report = judged(fake, NULL);
    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK_CONTAINS(report.findings[0].summary, "Live memory rose by");
}

/* Resident size rises by a megabyte a step beside flat live memory. */
static struct fake *resident_rises(uint64_t mapped)
{
    static struct resident_record private = {.state = HOLDER_DONE};
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 100; i++) {
        fake_step(fake, 50);
        fake->steps[i].resident = (20 + i) * MEGABYTE;
    }
    private.mapped = mapped;
    fake->model.residents = &private;
    fake->model.resident_count = 1;
    return fake;
}

TEST(free_memory_that_the_heap_keeps_is_fragmentation)
{
    CHECK_EQ(judged(resident_rises(0), NULL).verdict, KIND_fragmentation);
}

TEST(memory_of_an_allocator_inside_a_library_is_not_fragmentation)
{
    const struct process_report report = judged(resident_rises(100 * MEGABYTE), NULL);

    CHECK_EQ(report.verdict, KIND_undecided);
    CHECK_EQ(report.finding_count, 1);
    CHECK_CONTAINS(report.findings[0].evidence[0], "uses neither malloc nor mmap");
    CHECK_CONTAINS(report.findings[0].remedy.text, "library");
}

/* A file was mapped and read through; its pages were gone when they were counted, as at a function's end. */
TEST(pages_that_went_before_they_were_counted_are_of_a_file)
{
    struct fake *fake = resident_rises(0);
    struct account_record account = {.pid = 7, .resident = 20 * MEGABYTE, .anonymous = 20 * MEGABYTE};
    struct model own = {.accounts = &account, .account_count = 1};
    const struct run run = {.own = &own};

    fake->model.head.pid = 7;
    CHECK_EQ(judged(fake, &run).verdict, KIND_clean);
    account.resident = account.anonymous = 119 * MEGABYTE;
    CHECK(judged(fake, &run).verdict != KIND_clean);
}

/* ---- silence ---- */

/* Two seconds of filling, a block in each slice; then the process says nothing more. */
static struct run *silent(struct fake *fake, uint64_t seen)
{
    static struct process_record root = {.pid = 7, .flags = PROCESS_ROOT};
    static struct model own = {.processes = &root, .process_count = 1};
    static struct run run = {.own = &own};

    for (unsigned i = 0; i < 200; i++) {
        fake_block(fake, i + 1);
        fake_step(fake, i + 1);
        fake->steps[i].time = (i + 1) * SECOND / 100;
        fake->steps[i].clock[CLOCK_time] = i + 1;
        fake->steps[i].clock[CLOCK_mark] = 0;
    }
    fake->model.head.pid = 7;
    fake->model.head.state = STATE_RUNNING;
    fake->model.totals.time = 2 * SECOND;
    own.head.seen_mono = seen;
    return &run;
}

TEST(a_server_that_fills_and_then_waits_has_stopped_growing)
{
    struct fake *fake = fake_new();
    const struct process_report report = judged(fake, silent(fake, 20 * SECOND));

    CHECK_EQ(report.verdict, KIND_plateau);
    CHECK_EQ(report.clock_count, 2000);
}

/* 128 KB of mappings in each slice, and `after` more bytes before the process fell silent. */
static enum kind filled_quickly(uint64_t after)
{
    struct fake *fake = fake_new();
    struct run *run = silent(fake, 20 * SECOND);
    struct step_record *last = &fake->steps[200];

    for (unsigned i = 0; i < 200; i++)
        fake->steps[i].mapped_bytes = (i + 1) * (MEGABYTE / 8);
    fake_step(fake, 200);
    *last = fake->steps[199];
    last->first = last->last = 201;
    last->time += SECOND / 200;
    last->mapped_bytes += after;
    return judged(fake, run).verdict;
}

TEST(what_came_before_the_next_slice_was_due_does_not_break_the_silence)
{
    CHECK_EQ(filled_quickly(MEGABYTE / 8), KIND_plateau);
}

TEST(what_came_long_after_the_last_slice_breaks_the_silence)
{
    CHECK_EQ(filled_quickly(MEGABYTE), KIND_retained);
}

TEST(a_short_wait_after_a_leak_does_not_end_it)
{
    struct fake *fake = fake_new();

    CHECK_EQ(judged(fake, silent(fake, 7 * SECOND / 2)).verdict, KIND_retained);
}

/* ---- few objects of each request ---- */

static bool objects_suspected(unsigned each, unsigned merged)
{
    static struct suspect suspects[CLASSES_SUSPECTS_MAX];
    struct fake *fake = fake_new();
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;
    bool found = false;

    for (unsigned i = 0; i < 200; i++) {
        fake_step(fake, 50);
        fake->steps[i].clock[CLOCK_mark] = 0;
        fake->steps[i].clock[CLOCK_request] = (i + 1) * merged;
        fake->steps[i].gauges[GAUGE_python_blocks] = 50000 + (i + 1) * merged * each;
    }
    clock_choose(&clock, &fake->model, arena);
    series_build(&series, &fake->model, &clock, arena);
    for (size_t i = classes_suspect(suspects, &series); i-- > 0;)
        found |= suspects[i].column == SERIES_OBJECTS;
    arena_free(arena);
    return found;
}

TEST(two_objects_of_each_of_many_requests_are_suspect)
{
    CHECK(objects_suspected(2, 10));
}

TEST(two_objects_of_each_of_few_steps_are_not)
{
    CHECK(!objects_suspected(2, 1));
}

/* ---- JavaScript ---- */

/* Live bytes of each step, beside collections of V8's own every 10 steps; no block was sampled. */
static enum kind script_verdict(uint64_t (*live)(unsigned step), unsigned collect_every)
{
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 200; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, 0);
        step->live_bytes = step->live_min = step->live_max = live(i);
        step->resident = 40 * MEGABYTE;
        step->gauges[GAUGE_heap_used] = MEGABYTE;
        step->gauges[GAUGE_collections] = i / collect_every;
    }
    return judged(fake, NULL).verdict;
}

static uint64_t rises(unsigned step)
{
    return 20 * MEGABYTE + step * (MEGABYTE / 8);
}

/* Swings by 20 MB, and its troughs rise by 5 MB in all. */
static uint64_t swings(unsigned step)
{
    return 20 * MEGABYTE + step * (MEGABYTE / 40) + step % 20 * MEGABYTE;
}

TEST(in_javascript_a_rise_across_collections_is_not_clean)
{
    CHECK_EQ(script_verdict(rises, 10), KIND_undecided);
}

TEST(in_javascript_a_rise_without_collections_may_be_garbage)
{
    CHECK_EQ(script_verdict(rises, 150), KIND_clean);
}

TEST(in_javascript_a_rise_smaller_than_what_comes_and_goes_is_garbage)
{
    CHECK_EQ(script_verdict(swings, 10), KIND_clean);
}

/* The resident size rises by 10 MB while tensors of so many bytes pile up and are disposed, 20 steps each. */
static enum kind judged_pool(uint64_t waiting)
{
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 200; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, 0);
        step->resident = 40 * MEGABYTE + i * (MEGABYTE / 8);
        step->gauges[GAUGE_heap_used] = MEGABYTE;
        step->gauges[GAUGE_collections] = i / 10;
        step->gauges[GAUGE_tensor_bytes] = i % 20 * (waiting / 20);
    }
    return judged(fake, NULL).verdict;
}

TEST(in_javascript_a_pool_may_rise_by_what_waits_to_be_disposed)
{
    CHECK_EQ(judged_pool(2 * MEGABYTE), KIND_undecided);
    CHECK_EQ(judged_pool(40 * MEGABYTE), KIND_clean);
}

/* All was collected after the script's last line, while slices of time were still cut. */
TEST(what_a_script_releases_at_its_end_was_held_until_then)
{
    struct fake *fake = fake_new();

    for (unsigned i = 0; i < 200; i++) {
        struct step_record *step = &fake->steps[i];

        fake_step(fake, 0);
        step->time = step->first * SECOND / 100;
        step->clock[CLOCK_time] = step->first;
        step->clock[CLOCK_mark] = 0;
        step->live_bytes = step->live_min = step->live_max = i < 198 ? rises(i) : 2 * MEGABYTE;
        step->resident = 40 * MEGABYTE;
        step->gauges[GAUGE_heap_used] = MEGABYTE;
        step->gauges[GAUGE_collections] = i / 10;
    }
    fake->model.head.state = STATE_ENDED;
    fake->model.totals.time = 2 * SECOND;
    CHECK_EQ(judged(fake, NULL).verdict, KIND_undecided);
}
