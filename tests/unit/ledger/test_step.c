/* test_step.c - steps as they are packed in a ledger. */
#include <string.h>

#include "build_ledger.h"
#include "ledger/levels.h"
#include "test.h"

/* A step of so many clocks and gauges that differ and are not 0, from the highest numbers down. */
static struct step_record busy(unsigned clocks, unsigned gauges)
{
    struct step_record step = build_step(7, 640);

    memset(step.clock, 0, sizeof(step.clock));
    for (unsigned i = 0; i < clocks; i++)
        step.clock[LEDGER_CLOCKS - 1 - i] = 1000 + i;
    for (unsigned i = 0; i < gauges; i++)
        step.gauges[LEDGER_GAUGES - 1 - i] = (2000ull + i) << 32;
    step.threads = 3;
    step.resident = 4096;
    return step;
}

TEST(step_is_the_same_after_packing)
{
    static const struct {
        unsigned clocks, gauges;
    } cases[] = {{0, 0}, {1, 0}, {0, 1}, {5, 7}, {16, 16}, {32, 0}, {0, 32}, {31, 1}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct step_record step = busy(cases[i].clocks, cases[i].gauges);
        struct packed_step packed;
        struct step_record again;

        step_pack(&packed, &step);
        step_unpack(&again, &packed);
        CHECK(memcmp(&step, &again, sizeof(step)) == 0);
    }
}

#define GAUGES_BESIDE_ALL_CLOCKS (LEDGER_VALUES - LEDGER_CLOCKS) /* that fit into a record */

TEST(step_leaves_out_what_does_not_fit_and_says_so)
{
    const struct step_record step = busy(32, 32);
    struct packed_step packed;
    struct step_record again;

    step_pack(&packed, &step);
    CHECK_EQ(packed.clocks, UINT32_MAX);
    CHECK_EQ(packed.gauges, (1u << GAUGES_BESIDE_ALL_CLOCKS) - 1);
    step_unpack(&again, &packed);
    CHECK_EQ(again.clock[31], 1000);
    CHECK_EQ(again.gauges[GAUGES_BESIDE_ALL_CLOCKS], 0);
}

TEST(step_of_forged_bits_stays_within_its_values)
{
    struct packed_step packed;
    struct step_record step;

    memset(&packed, 0xff, sizeof(packed));
    step_unpack(&step, &packed);
    CHECK_EQ(step.clock[0], UINT64_MAX);
    CHECK_EQ(step.gauges[GAUGES_BESIDE_ALL_CLOCKS], 0);
    CHECK(!step_gauge(&packed, GAUGE_python_blocks));
}

/* Blocks of Python's own allocator keep their least number; what was not read yet is no number. */
TEST(step_merging_keeps_the_fewest_python_blocks)
{
    static const struct {
        uint64_t older, newer, merged;
    } cases[] = {{0, 0, 0}, {0, 9, 9}, {7, 9, 7}, {9, 7, 7}, {9, 0, 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct step_record older = build_step(1, 64), newer = build_step(2, 64), merged;
        struct packed_step packed, more;

        older.gauges[GAUGE_heap_used] = 50;
        newer.gauges[GAUGE_heap_used] = 60;
        older.gauges[GAUGE_python_blocks] = cases[i].older;
        newer.gauges[GAUGE_python_blocks] = cases[i].newer;
        step_pack(&packed, &older);
        step_pack(&more, &newer);
        step_merge(&packed, &more);
        step_unpack(&merged, &packed);
        CHECK_EQ(merged.first, 1);
        CHECK_EQ(merged.last, 2);
        CHECK_EQ(merged.gauges[GAUGE_heap_used], 60);
        CHECK_EQ(merged.gauges[GAUGE_python_blocks], cases[i].merged);
    }
}
