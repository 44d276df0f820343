/* Small objects: the rule that opens a window early, the pace of sampling, and a process judged by
 * objects that are made by hand. */
#include "base/arena.h"
#include "doctor/detect/arenas.h"
#include "doctor/judge/judge.h"
#include "doctor/run/examine.h"
#include "doctor/ask/objects.h"
#include "ledger/model.h"
#include "ledger/writer.h"
#include "probe/lines/small_objects_pure.h"
#include "test.h"

static bool grows(unsigned readings, uint64_t per_step, unsigned fall_every)
{
    struct small_objects_history history = {.count = 0};
    uint64_t blocks = 100000;
    bool seen = false;

    for (unsigned i = 1; i <= readings; i++) {
        blocks += per_step;
        if (fall_every && i % fall_every == 0)
            blocks -= 2 * per_step;
        small_objects_note_reading(&history, blocks, i);
        seen |= small_objects_grow(&history);
    }
    return seen;
}

TEST(many_objects_at_every_step_are_noticed_at_once)
{
    CHECK(!grows(5, 60, 0));
    CHECK(grows(6, 60, 0));
    CHECK(!grows(10, 40, 0));
}

TEST(a_few_objects_at_every_step_are_noticed_later)
{
    CHECK(!grows(10, 3, 0));
    CHECK(grows(11, 3, 0));
    CHECK(!grows(64, 2, 0)); /* what a clean loop gains until the collector runs */
    CHECK(!grows(64, 10, 4));
    CHECK(!grows(64, 0, 0));
}

TEST(growth_is_told_per_step_where_readings_are_rare)
{
    struct small_objects_history history = {.count = 0};

    for (unsigned i = 0; i < SMALL_OBJECTS_READINGS; i++)
        small_objects_note_reading(&history, 1000 + i * 20, i * 10); /* two for each step */
    CHECK(!small_objects_grow(&history));
    for (unsigned i = 0; i < SMALL_OBJECTS_READINGS; i++)
        small_objects_note_reading(&history, 2000 + i * 40, 1000 + i * 10);
    CHECK(small_objects_grow(&history));
}

TEST(sampling_of_objects_goes_from_all_to_few_and_back)
{
    uint64_t rate = SMALL_OBJECTS_RATE_ALL;

    for (int i = 0; i < 100; i++)
        rate = small_objects_coarser(rate);
    CHECK_EQ(rate, SMALL_OBJECTS_RATE_MOST);
    for (int i = 0; i < 100; i++)
        rate = small_objects_finer(rate);
    CHECK_EQ(rate, SMALL_OBJECTS_RATE_ALL);
}

/* ---- a process with one line that makes small objects ---- */

#define STEPS 120u
#define SIZE 64u
#define EACH 20u
#define WATCHED_FROM 10u

struct small {
    struct model model;
    struct model_site site;
    struct model_frame frame;
    struct step_record steps[STEPS];
    struct model_block blocks[STEPS];
    struct intervention_record collection;
};

/* At every step EACH objects more; one in EACH of them is a sample. */
static struct small *small_new(bool watched)
{
    static struct small only;
    struct small *small = &only;
    struct model *model = &small->model;

    small->frame = (struct model_frame){.kind = FRAME_NATIVE, .offset = 1};
    small->site = (struct model_site){
        .stack = 1, .class_index = ledger_class(SIZE), .kind = SITE_OBJECT, .first = 1};
    *model = (struct model){.program = "", .command = "", .allocator = "", .off_reason = ""};
    model->sites = &small->site;
    model->frames = &small->frame;
    model->steps = small->steps;
    model->blocks = small->blocks;
    model->interventions = &small->collection;
    model->site_count = model->frame_count = 1;
    model->step_count = STEPS;
    model->head.page_size = 4096;
    for (uint64_t i = 0; i < STEPS; i++) {
        small->steps[i] = (struct step_record){.first = i + 1, .last = i + 1, .time = i * 1000000};
        small->steps[i].clock[CLOCK_mark] = i + 1;
        small->steps[i].gauges[GAUGE_python_blocks] = 50000 + EACH * i;
        small->steps[i].gauges[GAUGE_python_watched] = watched && i >= WATCHED_FROM;
        if (watched && i >= WATCHED_FROM)
            small->blocks[model->block_count++] =
                (struct model_block){.address = 4096 + 64 * i, .size = SIZE, .weight = SIZE * EACH,
                                     .birth = i + 1, .site = 1};
    }
    small->site.births = model->block_count;
    small->site.born_weight = small->site.live_weight = model->block_count * SIZE * EACH;
    return small;
}

static void collect_at(struct small *small, uint64_t ordinal)
{
    small->collection = (struct intervention_record){.kind = INTERVENTION_COLLECT,
                                                     .ordinal = ordinal};
    small->model.intervention_count = 1;
}

static struct process_report judged(const struct small *small, struct arena *arena)
{
    struct process_report report = {.pid = 0};
    struct why why;

    CHECK_EQ(examine_process(&report, &small->model, NULL, NULL, arena, &why), 0);
    return report;
}

TEST(objects_that_survive_a_collection_are_a_leak)
{
    struct small *small = small_new(true);
    struct arena *arena = arena_new();
    struct process_report report;

    collect_at(small, 110);
    report = judged(small, arena);
    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ(report.findings[0].site, 1);
    CHECK(report.findings[0].rate.estimate > 0.8 * EACH * SIZE);
    CHECK(report.findings[0].rate.estimate < 1.2 * EACH * SIZE);
    arena_free(arena);
}

/* A bounded cache that fills and is swept again looks like this where one window is shorter than that. */
TEST(objects_that_were_followed_for_a_part_of_the_run_are_said_to_be)
{
    struct small *small = small_new(true);
    struct arena *arena = arena_new();
    struct process_report report;

    for (unsigned i = 90; i < STEPS; i++)
        small->steps[i].gauges[GAUGE_python_watched] = 0;
    small->model.block_count = 90 - WATCHED_FROM;
    collect_at(small, 110);
    report = judged(small, arena);
    CHECK_EQ(report.findings[0].site, 1);
    CHECK(strstr(report.findings[0].summary, "was released in the observed 80 ") != NULL);
    CHECK(strstr(report.findings[0].evidence[0], "were still alive after 90 ") != NULL);
    arena_free(arena);
}

TEST(objects_that_saw_no_collection_are_not_decided)
{
    struct arena *arena = arena_new();

    CHECK_EQ(judged(small_new(true), arena).verdict, KIND_undecided);
    arena_free(arena);
}

TEST(a_collection_before_most_of_them_does_not_count)
{
    struct small *small = small_new(true);
    struct arena *arena = arena_new();

    collect_at(small, 20);
    CHECK_EQ(judged(small, arena).verdict, KIND_undecided);
    arena_free(arena);
}

TEST(a_natural_full_collection_counts_as_well)
{
    struct small *small = small_new(true);
    struct arena *arena = arena_new();

    for (unsigned i = 100; i < STEPS; i++)
        small->steps[i].gauges[GAUGE_python_full] = 1;
    CHECK_EQ(judged(small, arena).verdict, KIND_retained);
    arena_free(arena);
}

static struct objects looked_at(const struct small *small)
{
    struct arena *arena = arena_new();
    struct visit *visit = visit_new(&small->model, NULL, NULL, arena);
    struct process_report report = {.pid = 0};
    struct objects objects;

    CHECK(visit != NULL);
    judge_visit(&report, visit);
    objects_look(&objects, visit);
    visit_free(visit);
    arena_free(arena);
    return objects;
}

TEST(growing_objects_are_to_be_followed)
{
    struct objects objects = looked_at(small_new(false));

    CHECK(objects.suspect && !objects.watched);
    CHECK(objects.window >= 200);
    objects = looked_at(small_new(true));
    CHECK(objects.suspect && objects.watched);
    CHECK_EQ(objects.seen, STEPS - WATCHED_FROM);
}

/* ---- arenas ---- */

#define MB (1024ull * 1024)

static bool pinned(uint64_t blocks_before, uint64_t arenas_before, uint64_t blocks, uint64_t arenas,
                   struct pinned *out)
{
    struct point points[2] = {{.tick = 1, .arenas = arenas_before, .resident = 200 * MB},
                              {.tick = 2, .arenas = arenas, .resident = 200 * MB}};
    const struct series series = {.points = points, .count = 2, .ticks = 2};

    points[0].least[SERIES_OBJECTS] = (uint32_t)blocks_before;
    points[1].least[SERIES_OBJECTS] = (uint32_t)blocks;
    return arenas_judge(out, &series);
}

TEST(arenas_that_survivors_keep_are_pinned)
{
    struct pinned out;

    CHECK(pinned(1000000, 100 * MB, 10000, 90 * MB, &out));
    CHECK_EQ(out.held, 89 * MB);
    CHECK_EQ(out.most, 1000000);
    CHECK(!pinned(1000000, 100 * MB, 900000, 90 * MB, &out)); /* they are in use */
    CHECK(!pinned(1000000, 100 * MB, 10000, 20 * MB, &out));  /* they were returned */
    CHECK(!pinned(0, 0, 0, 0, &out));                         /* there is no interpreter */
}
