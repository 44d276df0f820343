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

        if (heap_pause_mark(&known) < measured[i].mark * MS || heap_pause_least(&known) > took)
            test_fail(__FILE__, __LINE__, "%s", measured[i].heap);
        known.mark_ns = known.mark_paused = measured[i].mark * MS;
        known.mark_used = known.used;
        if (heap_pause_least(&known) > took || heap_pause_usual(&known) * 3 < took ||
            heap_pause_usual(&known) > 3 * took)
            test_fail(__FILE__, __LINE__, "%s", measured[i].heap);
    }
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

/* Node 20, 47 MB of objects: visits from 296 to 1624 ms, the last report at 1998, all of it 2730. */
static bool plays(uint64_t most, struct heap_progress *progress)
{
    static const struct {
        uint32_t done;
        uint64_t ms;
    } seen[] = {{0, 296}, {160000, 667}, {320000, 826}, {480000, 899}, {640000, 1217}, {800000, 1286},
                {960000, 1370}, {1120000, 1501}, {1320000, 1624}, {1320836, 1998}};

    for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
        if (!heap_pause_goes_on(progress, seen[i].ms * MS, seen[i].done, 1320836, most))
            return false;
    return true;
}

TEST(a_snapshot_that_would_take_too_long_ends_early)
{
    struct heap_progress progress = {0};

    CHECK(plays(6000 * MS, &progress));
    CHECK(progress.expected >= 2200 * MS && progress.expected <= 2800 * MS);
    progress = (struct heap_progress){0};
    CHECK(plays(HEAP_PAUSE_ANY, &progress));
    progress = (struct heap_progress){0};
    CHECK(!plays(2200 * MS, &progress)); /* it took longer */
    progress = (struct heap_progress){0};
    CHECK(!plays(500 * MS, &progress) && progress.visited == 0); /* at the second report */
    CHECK(progress.expected > 500 * MS);
    progress = (struct heap_progress){0};
    CHECK(!plays(200 * MS, &progress)); /* the collections alone */
    CHECK(!heap_pause_goes_on(&progress, 300 * MS, 10, 1320836, 200 * MS));
}
