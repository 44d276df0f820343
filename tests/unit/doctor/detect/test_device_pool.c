/* A device whose buffers are kept for tensors of exactly their size: ledgers made by hand. */
#include "base/arena.h"
#include "doctor/facts/diagnosis.h"
#include "doctor/run/examine.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "test.h"

#define SIZE   65536u
#define STEPS  120u
#define SECOND 1000000000ull

/* A buffer is made in each of the first `made` steps; the first `reused` of them are used again. */
struct fake {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct step_record steps[STEPS];
    struct model_block blocks[STEPS];
};

static struct fake *fake_pool(unsigned made, unsigned reused)
{
    static struct fake only; /* each test has a process of its own */
    struct fake *fake = &only;
    struct model *model = &fake->model;

    fake->frame = (struct model_frame){.kind = FRAME_JS, .unit = 1};
    fake->site = (struct model_site){.stack = 1, .class_index = ledger_class(SIZE), .kind = SITE_BUFFER,
                                     .first = 1, .last = made, .births = made, .live_blocks = made - reused,
                                     .born_weight = made * SIZE, .live_weight = (made - reused) * SIZE};
    model->program = model->command = model->allocator = model->off_reason = "";
    model->sites = &fake->site;
    model->frames = &fake->frame;
    model->steps = fake->steps;
    model->blocks = fake->blocks;
    model->site_count = model->frame_count = 1;
    model->step_count = STEPS;
    model->block_count = made - reused;
    model->head.page_size = 4096;
    for (uint64_t i = 0; i < STEPS; i++) {
        struct step_record *step = &fake->steps[i];

        step->first = step->last = i + 1;
        step->time = (i + 1) * SECOND;
        step->clock[CLOCK_mark] = i + 1;
        step->gauges[GAUGE_heap_used] = 1000000;
        step->gauges[GAUGE_device_used] = SIZE * (1 + i % 3);
        step->gauges[GAUGE_device_taken] = SIZE * (4 + (i < made ? i : made));
    }
    for (uint64_t i = 0; i < model->block_count; i++)
        fake->blocks[i] = (struct model_block){
            .address = 16 * (i + 1), .size = SIZE, .weight = SIZE, .birth = reused + i + 1, .site = 1};
    return fake;
}

static struct process_report judged(const struct fake *fake)
{
    static struct arena *arena; /* lives as long as the test */
    struct process_report report = {.pid = 0};
    struct why why = {""};

    arena = arena_new();
    CHECK_EQ(examine_process(&report, &fake->model, NULL, NULL, arena, &why), 0);
    return report;
}

TEST(a_pool_of_buffers_that_are_never_used_again_is_an_unbounded_cache)
{
    const struct process_report report = judged(fake_pool(STEPS, 0));

    CHECK_EQ(report.verdict, KIND_unbounded_cache);
    CHECK(report.findings[0].rate.estimate > 0.9 * SIZE && report.findings[0].rate.estimate < 1.1 * SIZE);
    CHECK_TEXT(report.findings[0].held_by, "the backend: its pool of free buffers, by exact size");
}

TEST(a_pool_that_has_stopped_growing_is_none)
{
    CHECK_EQ(judged(fake_pool(STEPS / 2, 0)).verdict, KIND_clean);
}

TEST(a_pool_whose_buffers_are_used_again_is_none)
{
    CHECK_EQ(judged(fake_pool(STEPS, STEPS / 4)).verdict, KIND_clean);
}

TEST(a_pool_that_grows_ever_more_slowly_is_none)
{
    struct fake *fake = fake_pool(STEPS, 0);

    for (uint64_t i = 0; i < STEPS; i++) /* all sizes have been met once, sooner or later */
        fake->steps[i].gauges[GAUGE_device_taken] = SIZE * (4 + i * (2 * STEPS - i) / STEPS);
    CHECK_EQ(judged(fake).verdict, KIND_clean);
}

TEST(what_is_in_use_is_not_the_pools)
{
    struct fake *fake = fake_pool(STEPS, 0);

    for (uint64_t i = 0; i < STEPS; i++)
        fake->steps[i].gauges[GAUGE_device_used] = fake->steps[i].gauges[GAUGE_device_taken] - SIZE;
    CHECK_EQ(judged(fake).verdict, KIND_clean);
}
