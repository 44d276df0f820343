/* The interval of a rate includes what nobody attributed to a line. */
#include "fake.h"
#include "test.h"

#define STEPS 100u

/* One block of SIZE bytes is kept per step: what its counter says is exact. */
static struct interval rate_of(const struct fake *fake)
{
    const struct process_report report = judged(fake, NULL);

    CHECK_EQ(report.verdict, KIND_retained);
    CHECK_EQ((intmax_t)report.findings[0].rate.estimate, SIZE);
    return report.findings[0].rate;
}

TEST(an_interval_includes_one_tick_and_the_headers_of_blocks)
{
    const struct interval rate = rate_of(fake_leak(STEPS));

    CHECK(rate.low <= SIZE - SIZE / STEPS);
    CHECK(rate.high >= SIZE + SIZE / STEPS + 8);
    CHECK(rate.high < SIZE * 1.1);
}

/* Three objects of 64 bytes are kept beside each block; nobody followed them. */
TEST(an_interval_includes_small_objects_that_were_only_counted)
{
    struct fake *fake = fake_leak(STEPS);

    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].gauges[GAUGE_python_blocks] = 10000 + 3 * (i + 1);
        fake->steps[i].gauges[GAUGE_python_arenas] = 64 * 10300;
    }
    CHECK(rate_of(fake).high >= SIZE + 3 * 64);
}

TEST(objects_that_grow_faster_than_the_leak_do_not_stretch_its_interval)
{
    struct fake *fake = fake_leak(STEPS);

    for (size_t i = 0; i < fake->model.step_count; i++) {
        fake->steps[i].gauges[GAUGE_python_blocks] = 10000 + 300 * (i + 1);
        fake->steps[i].gauges[GAUGE_python_arenas] = 64 * 40000;
    }
    CHECK(judged(fake, NULL).findings[0].rate.high <= SIZE * 1.6);
}

/* The exact count of bytes swings, so its growth is not known; but less than a block per step can have
 * stayed. */
TEST(a_rate_is_cut_down_to_what_can_have_stayed)
{
    struct fake *fake = fake_leak(STEPS);
    struct process_report report;

    for (size_t i = 0; i < fake->model.step_count; i++)
        fake->steps[i].live_bytes = fake->steps[i].live_min = fake->steps[i].live_max =
            1000000 + 100 * i - (i % 10 == 9 ? 20000 : 0);
    report = judged(fake, NULL);
    CHECK(report.finding_count > 0);
    CHECK(report.findings[0].rate.estimate < SIZE);
}
