/* Arenas that a few survivors keep, as a finding. */
#include "doctor/detect/detect.h"
#include "fake.h"
#include "test.h"

#define MB (1ull << 20)

/* A hundred steps: 1,000,000 small objects in `arenas` bytes at first, `left` of them in the same arenas
 * later. */
static struct fake *objects_in(uint64_t arenas, uint64_t left)
{
    struct fake *fake = fake_leak(100);

    for (unsigned i = 0; i < 100; i++) {
        fake->steps[i].gauges[GAUGE_python_blocks] = i < 50 ? 1000000 : left;
        fake->steps[i].gauges[GAUGE_python_arenas] = arenas;
        fake->steps[i].resident = 2 * arenas;
    }
    return fake;
}

TEST(arenas_that_few_objects_keep_are_reported_with_what_they_would_need)
{
    struct visit *visit = fake_visit(objects_in(128 * MB, 250000));
    const struct finding *finding = &visit->findings[0];

    CHECK(detect_arenas_applies(visit));
    detect_arenas(visit);
    CHECK_EQ(visit->finding_count, 1);
    CHECK_EQ(finding->kind, KIND_fragmentation);
    CHECK_EQ(finding->live_bytes, 96 * MB);
    CHECK_EQ(finding->advice, REMEDY_python_arenas);
    CHECK_EQ(finding->headline.id, FACT_arenas_hold);
    CHECK(fake_fact(finding, FACT_arenas_take) && fake_fact(finding, FACT_arenas_take)->n[1] == 250000);
    CHECK(fake_fact(finding, FACT_arenas_had) && fake_fact(finding, FACT_arenas_had)->n[1] == 1000000);
    visit_free(visit);
}

TEST(arenas_that_are_full_are_not_reported)
{
    struct visit *visit = fake_visit(objects_in(128 * MB, 1000000));

    detect_arenas(visit);
    CHECK_EQ(visit->finding_count, 0);
    visit_free(visit);
}

TEST(arenas_of_a_small_interpreter_are_not_reported)
{
    struct visit *visit = fake_visit(objects_in(32 * MB, 250000));

    detect_arenas(visit);
    CHECK_EQ(visit->finding_count, 0);
    visit_free(visit);
}

TEST(arenas_are_not_looked_for_where_no_tick_was_seen)
{
    struct visit *visit = fake_visit(fake_leak(0));

    CHECK(!detect_arenas_applies(visit));
    visit_free(visit);
}
