/* How long V8 stops a program to look at its heap, by what was measured (docs/internals/node.md). */
#include "probe/js/heap_pause_pure.h"
#include "test.h"

#define MS 1000000ull

TEST(a_pause_is_bounded_by_what_the_user_said)
{
    CHECK_EQ(heap_pause_most(0, true), 500 * MS);
    CHECK_EQ(heap_pause_most(0, false), 2000 * MS);
    CHECK_EQ(heap_pause_most(70 * MS, true), 70 * MS);
    CHECK_EQ(heap_pause_most(3000 * MS, true), 3000 * MS);
    CHECK_EQ(heap_pause_most(HEAP_PAUSE_ANY, true), HEAP_PAUSE_ANY);
}

/* Milliseconds of processor time, measured: a collection, numbering, a snapshot. */
static const struct {
    const char *heap;
    unsigned collect, mark, snapshot;
} measured[] = {
    {"18 objects", 21, 266, 2166}, {"18 arrays", 4, 16, 149},     {"18 closures", 18, 161, 2419},
    {"18 cons", 24, 356, 1615},    {"20 objects", 21, 220, 1080}, {"20 strings", 10, 43, 505},
    {"20 small", 18, 172, 1089},   {"20 arrays", 8, 22, 147},     {"20 doubles", 4, 13, 155},
    {"20 maps", 12, 162, 999},     {"20 closures", 13, 169, 1074}, {"20 chain", 16, 185, 926},
    {"20 bigstr", 3, 20, 188},     {"20 cons", 29, 404, 1300},    {"22 objects", 25, 290, 1260},
    {"22 arrays", 6, 31, 175},     {"22 closures", 21, 249, 1042}, {"22 cons", 17, 242, 1064},
    {"24 objects", 18, 239, 643},  {"24 arrays", 6, 27, 109},     {"24 closures", 19, 186, 650},
    {"24 cons", 18, 237, 699},
};

TEST(a_prediction_keeps_to_its_side)
{
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
        struct heap_known known = {.used = 20 << 20, .collect_ns = measured[i].collect * MS};
        const uint64_t took = measured[i].snapshot * MS;

        if (heap_pause_mark(&known, &(struct heap_moment){0}) < measured[i].mark * MS ||
            heap_pause_least(&known) > took)
            test_fail(__FILE__, __LINE__, "%s", measured[i].heap);
        known.mark_ns = known.mark_paused = measured[i].mark * MS;
        known.mark_used = known.used;
        if (heap_pause_least(&known) > took || heap_pause_usual(&known) * 3 < took ||
            heap_pause_usual(&known) > 3 * took)
            test_fail(__FILE__, __LINE__, "%s", measured[i].heap);
    }
}

TEST(numbering_takes_longer_where_others_have_the_processor)
{
    const struct heap_known known = {.collect_ns = 10 * MS};

    CHECK_EQ(heap_pause_mark(&known, &(struct heap_moment){40 * MS, 40 * MS}), 190 * MS);
    CHECK_EQ(heap_pause_mark(&known, &(struct heap_moment){120 * MS, 40 * MS}), 570 * MS);
}

TEST(a_prediction_grows_with_the_heap)
{
    struct heap_known known = {.used = 20 << 20, .mark_ns = 100 * MS, .mark_paused = 200 * MS,
                               .mark_used = 20 << 20};

    CHECK_EQ(heap_pause_least(&known), 250 * MS);
    CHECK_EQ(heap_pause_usual(&known), 1200 * MS);
    known.used = 60 << 20;
    CHECK_EQ(heap_pause_least(&known), 750 * MS);
    known.used = 10 << 20; /* a smaller heap may have as many objects */
    CHECK_EQ(heap_pause_least(&known), 250 * MS);
    known.arrays = 800000; /* 100,000 elements */
    CHECK_EQ(heap_pause_least(&known), 250 * MS + 4600 * MS);
    known = (struct heap_known){.used = 1};
    CHECK_EQ(heap_pause_usual(&known), 0);
}

/* V8's reports of one snapshot; the last has done = total. The thread has a part of the processor. */
static bool plays(const uint32_t (*reports)[2], uint64_t most, unsigned part, struct heap_progress *progress)
{
    uint32_t total = 0;

    *progress = (struct heap_progress){0};
    for (size_t i = 0; reports[i][1]; i++)
        total = reports[i][0];
    for (size_t i = 0; reports[i][1]; i++) {
        const struct heap_moment now = {reports[i][1] * MS * part, reports[i][1] * MS};

        if (!heap_pause_goes_on(progress, &now, reports[i][0], total, most))
            return false;
    }
    return true;
}

/* Node 20, 47 MB of objects, 2730 ms in all; its first objects are slow: 4.9 s at that speed. */
static const uint32_t objects[][2] = {
    {0, 296},       {160000, 667},  {320000, 826},   {480000, 899},   {640000, 1217},  {800000, 1286},
    {960000, 1370}, {1120000, 1501}, {1320000, 1624}, {1320836, 1998}, {0, 0}};
/* Node 20, TensorFlow.js, 1202 ms in all: what comes after the visits is short. */
static const uint32_t library[][2] = {{0, 79},      {20000, 191}, {30000, 242}, {40000, 648},  {60000, 786},
                                      {80000, 963}, {90000, 1074}, {96454, 1117}, {96455, 1130}, {0, 0}};
/* Node 24, 40 MB of strings, 693 ms in all: to write them takes long. */
static const uint32_t strings[][2] = {{0, 40},       {60000, 89},   {120000, 162},
                                      {210000, 287}, {225329, 431}, {0, 0}};

TEST(a_snapshot_that_fits_is_not_given_up)
{
    struct heap_progress progress;

    CHECK(plays(objects, 3600 * MS, 1, &progress));
    CHECK(plays(objects, HEAP_PAUSE_ANY, 1, &progress));
    CHECK(plays(library, 1600 * MS, 1, &progress));
    CHECK(plays(library, 4800 * MS, 3, &progress));
    CHECK(plays(strings, 800 * MS, 1, &progress));
}

TEST(a_snapshot_that_would_take_too_long_ends_early)
{
    struct heap_progress progress;

    CHECK(!plays(objects, 2700 * MS, 1, &progress) && progress.expected > 2700 * MS);
    CHECK(!plays(objects, 500 * MS, 1, &progress) && progress.visited == 0);
    CHECK(progress.expected > 500 * MS);
    CHECK(!plays(objects, 200 * MS, 1, &progress)); /* the collections alone */
    CHECK(!plays(objects, 3500 * MS, 3, &progress) && progress.visited == 0);
    CHECK(!plays(library, 900 * MS, 1, &progress));
    CHECK(!plays(strings, 400 * MS, 1, &progress) && progress.expected > 400 * MS);
}
