/* The counters of a process along its clock, from ledgers made by hand. */
#include "base/arena.h"
#include "doctor/measure/series.h"
#include "fake.h"
#include "test.h"

static struct series series_of(const struct fake *fake)
{
    struct arena *arena = arena_new();
    struct clock_choice clock = {.id = CLOCK_NONE};
    struct series series;

    clock_choose(&clock, &fake->model, arena);
    series_build(&series, &fake->model, &clock, arena);
    return series;
}

TEST(a_series_has_a_point_for_each_tick)
{
    const struct series series = series_of(fake_leak(60));

    CHECK_EQ(series.count, 60);
    CHECK_EQ(series.ticks, 60);
    CHECK_EQ(series.points[9].least[ledger_class(SIZE)], 10);
    CHECK_EQ(series.points[9].least[SERIES_TOTAL], 10);
    CHECK(series_is_valid(&series));
}

TEST(a_series_whose_ticks_stand_still_is_not_valid)
{
    struct series series = series_of(fake_leak(60));

    series.points[7].tick = series.points[6].tick;
    CHECK(!series_is_valid(&series));
    series.points[7].tick = 8;
    CHECK(series_is_valid(&series));
    series.points[7].ordinal = 2;
    CHECK(!series_is_valid(&series));
    series.points[7].ordinal = 8;
    series.ticks++;
    CHECK(!series_is_valid(&series));
}
