/* Growth that is not a line whose blocks survive: queues, containers, garbage that is taken out of a series,
 * and the table of bytes per model. */
#include "base/arena.h"
#include "doctor/detect/detect.h"
#include "doctor/judge/judge.h"
#include "doctor/judge/keeping.h"
#include "doctor/measure/visit.h"
#include "doctor/runtime/js_garbage.h"
#include "fake.h"
#include "test.h"

#define MB 1048576u

/* A look at this process, judged; freed with the test's process. */
static struct visit *looked_at(struct fake *fake, struct process_report *report)
{
    struct visit *visit = visit_new(&fake->model, NULL, NULL, arena_new());

    CHECK(visit != NULL);
    *report = (struct process_report){.pid = 0};
    judge_visit(report, visit);
    return visit;
}

/* One block arrives in each step, and the i-th leaves in step `leaves(i)`. */
static struct fake *queue(uint64_t (*leaves)(uint64_t))
{
    struct fake *fake = fake_new();

    for (uint64_t i = 1; i <= STEPS_MAX; i++) {
        uint32_t alive = 0;

        for (uint64_t k = 1; k <= i; k++)
            alive += leaves(k) > i;
        fake_step(fake, alive);
    }
    for (uint64_t i = 1; i <= STEPS_MAX; i++) {
        if (leaves(i) > STEPS_MAX)
            fake_block(fake, i);
        else
            fake_death(fake, i, leaves(i));
    }
    fake->model.totals.classes[ledger_class(SIZE)].born_blocks = STEPS_MAX;
    return fake;
}

static uint64_t ever_later(uint64_t birth)
{
    return 2 * birth;
}

static uint64_t in_time(uint64_t birth)
{
    return birth + 20;
}

TEST(a_queue_whose_blocks_wait_longer_and_longer_is_a_leak)
{
    struct process_report report;
    struct visit *visit = looked_at(queue(ever_later), &report);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.findings[0].headline.id, FACT_queue_grows);
    CHECK_EQ(report.findings[0].advice, REMEDY_drain);
    CHECK(report.findings[0].rate.low < SIZE / 2 && report.findings[0].rate.high > SIZE / 2);
    CHECK(visit->growth.estimate > 0.4 * SIZE && visit->growth.estimate < 0.6 * SIZE);
    visit_free(visit);
}

TEST(a_queue_in_balance_is_clean)
{
    struct process_report report;
    struct visit *visit = looked_at(queue(in_time), &report);

    CHECK_EQ(report.verdict, KIND_clean);
    visit_free(visit);
}

/* A process in which one block is resized at each step, and has this many bytes at the end of it. */
static struct fake *container(uint64_t (*bytes)(uint64_t), unsigned steps)
{
    struct fake *fake = fake_new();

    for (uint64_t i = 1; i <= steps; i++) {
        fake_step(fake, 1);
        fake->steps[i - 1].live_bytes = fake->steps[i - 1].live_min = fake->steps[i - 1].live_max = bytes(i);
    }
    fake_block(fake, 1);
    fake->blocks[0].size = fake->blocks[0].weight = bytes(steps);
    fake->blocks[0].grown = steps;
    fake->site.live_weight = fake->site.born_weight = bytes(steps);
    return fake;
}

static uint64_t by_a_kilobyte(uint64_t step)
{
    return MB + 1024 * step;
}

static uint64_t up_to_a_limit(uint64_t step)
{
    return MB + 1024 * (step < 120 ? step : 120);
}

TEST(a_container_that_is_resized_again_and_again_is_a_leak)
{
    struct process_report report;
    struct visit *visit = looked_at(container(by_a_kilobyte, 300), &report);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.findings[0].headline.id, FACT_container_grows);
    CHECK_EQ(report.findings[0].live_blocks, 1);
    CHECK(report.findings[0].rate.low <= 1024 && report.findings[0].rate.high >= 1024);
    visit_free(visit);
}

TEST(a_container_that_has_stopped_growing_is_not_a_leak)
{
    struct process_report report;
    struct visit *visit = looked_at(container(up_to_a_limit, 300), &report);

    CHECK(kind_status(report.verdict) != 1);
    visit_free(visit);
}

/* A table that is built a little longer at each step and released: its sites are entered in turn. */
TEST(a_table_that_is_rebuilt_ever_longer_and_released_is_a_leak)
{
    static struct model_site sites[5];
    struct fake *fake = container(by_a_kilobyte, 300);
    struct process_report report;
    struct visit *visit;

    for (unsigned i = 0; i < 5; i++)
        sites[i] = (struct model_site){.stack = 1, .kind = SITE_HEAP,
                                       .class_index = ledger_class(32768u << i), .first = 1 + 60 * i,
                                       .last = 60 * (i + 1), .births = 60, .deaths = 60,
                                       .peak_weight = 32768u << i};
    fake->model.sites = sites;
    fake->model.site_count = 5;
    fake->model.block_count = 0;
    visit = looked_at(fake, &report);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.findings[0].headline.id, FACT_container_grows);
    CHECK_EQ(report.findings[0].site, 5);
    visit_free(visit);
}

TEST(garbage_that_a_collection_released_is_taken_out_of_the_series)
{
    struct fake *fake = fake_new();
    struct arena *arena = arena_new();
    struct clock_choice clock;
    struct series series;
    const unsigned class_index = ledger_class(SIZE);

    fake->frame.kind = FRAME_JS;
    for (unsigned i = 1; i <= 100; i++)
        fake_step(fake, i <= 80 ? 2 * i : i); /* each step makes two; at 81 a collection takes every other */
    for (unsigned i = 1; i <= 80; i++)
        fake_death(fake, i, 81);
    clock_choose(&clock, &fake->model, arena);
    series_build(&series, &fake->model, &clock, arena);
    CHECK_EQ(series.points[49].least[class_index], 100);
    js_garbage_take_out(&series, &fake->model, arena);
    CHECK_EQ(series.points[49].least[class_index], 50);
    CHECK_EQ(series.points[49].least[SERIES_TOTAL], 50);
    CHECK_EQ(series.points[49].live_min, 50 * SIZE);
    CHECK_EQ(series.points[89].least[class_index], 90); /* after the collection nothing changes */
    arena_free(arena);
}

TEST(the_table_per_model_names_each_keeper_and_what_is_not_explained)
{
    struct fake *fake = fake_leak(40);
    struct process_report report;
    struct visit *visit;
    double program = 0, lost = 0, open = 0;

    for (unsigned i = 0; i < 40; i++) {
        fake->steps[i].clock[CLOCK_mark] = 0;
        fake->steps[i].clock[CLOCK_model] = i + 1;
        fake->steps[i].live_bytes = fake->steps[i].live_min = fake->steps[i].live_max = (i + 1) * 400000ull;
    }
    visit = looked_at(fake, &report);
    CHECK_EQ(report.clock, CLOCK_model);
    visit->finding_count = 2;
    visit->findings[0] = (struct finding){.kind = KIND_retained, .rate = {100000, 100000, 100000},
                                          .held_by = "models"};
    visit->findings[1] = (struct finding){.kind = KIND_native, .rate = {50000, 50000, 50000}};
    keeping_fill(&report, visit);
    for (size_t i = 0; i < report.keeping_count; i++) {
        const struct keeping *line = &report.keepings[i];

        program = line->keeper == KEEPER_program ? line->bytes : program;
        lost = line->keeper == KEEPER_lost ? line->bytes : lost;
        open = line->keeper == KEEPER_open ? line->bytes : open;
        if (line->keeper == KEEPER_program)
            CHECK_EQ(line->largest, 1);
    }
    CHECK(program == 100000 && lost == 50000);
    CHECK(open > 240000 && open < 260000);
    visit_free(visit);
}
