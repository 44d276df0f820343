/* Judging a process whose ledger is made by hand: one size class, one site, whole numbers. */
#include "base/arena.h"
#include "base/mem.h"
#include "doctor/diagnosis.h"
#include "doctor/judge.h"
#include "doctor/rules.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "test.h"

#define SIZE      1000u
#define STEPS_MAX 400u
#define SECOND    1000000000ull

/* A program that makes one block per step, kept or not as the test says. */
struct fake {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct step_record steps[STEPS_MAX];
    struct model_block blocks[STEPS_MAX];
    struct death_record deaths[STEPS_MAX];
};

static struct fake *fake_new(void)
{
    static struct fake only; /* each test has a process of its own */
    struct fake *fake = &only;

    fake->frame = (struct model_frame){.kind = FRAME_NATIVE, .offset = 1};
    fake->site = (struct model_site){
        .stack = 1, .class_index = ledger_class(SIZE), .kind = SITE_HEAP, .first = 1};
    fake->model.program = fake->model.command = fake->model.allocator = "";
    fake->model.off_reason = "";
    fake->model.sites = &fake->site;
    fake->model.frames = &fake->frame;
    fake->model.steps = fake->steps;
    fake->model.blocks = fake->blocks;
    fake->model.deaths = fake->deaths;
    fake->model.site_count = fake->model.frame_count = 1;
    fake->model.head.page_size = 4096;
    fake->model.head.watched = 1ull << ledger_class(SIZE);
    fake->model.totals.watched_since[ledger_class(SIZE)] = 1;
    return fake;
}

/* Ends a step after which `alive` blocks are there. */
static void fake_step(struct fake *fake, uint32_t alive)
{
    struct step_record *step = &fake->steps[fake->model.step_count];
    struct class_total *total = &fake->model.totals.classes[ledger_class(SIZE)];

    CHECK(fake->model.step_count < STEPS_MAX);
    step->first = step->last = ++fake->model.step_count;
    step->time = step->first * SECOND;
    step->clock[CLOCK_mark] = step->first;
    step->class_blocks[ledger_class(SIZE)] = alive;
    step->live_bytes = step->live_min = step->live_max = (uint64_t)alive * SIZE;
    step->live_blocks = alive;
    total->born_blocks = alive;
    total->born_bytes = (uint64_t)alive * SIZE;
}

static void fake_block(struct fake *fake, uint64_t birth)
{
    fake->blocks[fake->model.block_count++] = (struct model_block){
        .address = 16 * birth, .size = SIZE, .weight = SIZE, .birth = birth, .site = 1};
    fake->site.births++;
    fake->site.last = birth;
    fake->site.born_weight += SIZE;
    fake->site.live_weight += SIZE;
}

static void fake_death(struct fake *fake, uint64_t birth, uint64_t death)
{
    fake->deaths[fake->model.death_count++] =
        (struct death_record){.birth = birth, .death = death, .site = 1, .size = SIZE};
    fake->model.deaths_seen++;
    fake->site.births++;
    fake->site.deaths++;
    fake->site.born_weight += SIZE;
}

/* One block per step, all kept. */
static struct fake *fake_leak(unsigned steps)
{
    struct fake *fake = fake_new();

    for (unsigned i = 1; i <= steps; i++) {
        fake_block(fake, i);
        fake_step(fake, i);
    }
    return fake;
}

static struct process_report judged(const struct fake *fake, const struct run *run)
{
    static struct arena *arenas[4]; /* the reports of a test live as long as it does */
    static unsigned used;
    struct process_report report = {.pid = 0};
    struct why why = {""};

    CHECK(used < 4);
    arenas[used] = arena_new();
    CHECK_EQ(judge_process(&report, &fake->model, run, NULL, arenas[used++], &why), 0);
    return report;
}

TEST(a_block_kept_each_step_is_a_leak)
{
    const struct process_report report = judged(fake_leak(60), NULL);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_TEXT(report.clock, "mark");
    CHECK_EQ(report.clock_count, 60);
    CHECK_EQ(report.finding_count, 1);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
    CHECK(report.findings[0].rate.low <= SIZE && report.findings[0].rate.high >= SIZE);
    CHECK(report.findings[0].evicted_nothing);
    CHECK_EQ(report.findings[0].since, 1);
    CHECK_CONTAINS(report.findings[0].summary, "nothing evicted in 60 steps");
    CHECK_CONTAINS(report.findings[0].evidence[0], "36 of 36 blocks from steps 13-48");
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

TEST(no_steps_give_a_note)
{
    const struct process_report report = judged(fake_new(), NULL);

    CHECK_EQ(report.verdict, KIND_clean);
    CHECK_EQ(report.note_count, 1);
}

/* 100 B per step: told as a note, unless the limit is near. */
TEST(small_growth_is_a_note_until_a_limit_is_near)
{
    struct fake *fake = fake_leak(100);
    struct limit_record limit = {.kind = LIMIT_MACHINE, .bytes = 1ull << 40, .used = 0};
    struct model own = {.limits = &limit, .limit_count = 1};
    const struct run run = {.own = &own};
    struct process_report report;

    for (size_t i = 0; i < fake->model.block_count; i++)
        fake->blocks[i].size = fake->blocks[i].weight = 100;
    fake->site.class_index = ledger_class(100);
    fake->model.head.watched = 1ull << ledger_class(100);
    fake->model.totals.watched_since[ledger_class(100)] = 1;
    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].class_blocks[ledger_class(100)] = (uint32_t)i + 1;
        fake->steps[i].class_blocks[ledger_class(SIZE)] = 0;
    }
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_clean);
    CHECK_EQ(report.finding_count, 1);
    CHECK(report.findings[0].note);
    limit.bytes = 100 * 3600; /* an hour's growth, at a step per second */
    report = judged(fake, &run);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK(report.forecast.known);
    CHECK(report.forecast.seconds_low <= 3600 && report.forecast.seconds_high >= 3600);
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
        err = judge_process(&report, &fake->model, NULL, NULL, arena, &why);
        mem_fail_at(0);
        CHECK(err == 0 || err == ERR_NOMEM);
        refused += err != 0;
        arena_free(arena);
    }
    CHECK(refused > 0);
}
