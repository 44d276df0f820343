/* Pieces of the verdict: statistics, the choice of the clock, rising minima, the power formula. */
#include <math.h>

#include "base/arena.h"
#include "doctor/measure/classes.h"
#include "doctor/measure/clock.h"
#include "doctor/judge/forecast.h"
#include "doctor/detect/power.h"
#include "doctor/facts/stats.h"
#include "test.h"

static bool near(double got, double want, double error)
{
    return fabs(got - want) <= error;
}

TEST(poisson_tails_are_those_of_the_tables)
{
    CHECK(near(stats_poisson_below(1, 0), 0.36787944, 1e-8));
    CHECK(near(stats_poisson_below(10, 3), 0.01033605, 1e-8));
    CHECK(near(stats_poisson_below(10, 15), 0.95125960, 1e-8));
    CHECK(near(stats_poisson_below(2000, 2000), 0.5059468, 1e-6));
    CHECK(stats_poisson_below(5000, 10) < 1e-300);
    CHECK_EQ((int)stats_poisson_below(0, 0), 1);
    CHECK_EQ((int)stats_poisson_below(3, -1), 0);
}

TEST(theil_sen_ignores_an_outlier)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, y[] = {2, 4, 6, 8, 100, 12, 14, 16};
    const struct slope slope = stats_theil_sen(x, y, 8);

    CHECK(near(slope.estimate, 2, 1e-9));
    CHECK(slope.low <= 2 && slope.high >= 2);
    CHECK(near(stats_theil_sen(x, y, 1).estimate, 0, 0));
}

TEST(dispersion_tells_regular_from_random)
{
    const double regular[] = {4, 4, 4, 4}, bursts[] = {0, 8, 0, 8};

    CHECK(near(stats_dispersion(regular, 4), 0, 1e-12));
    CHECK(stats_dispersion(bursts, 4) > 1);
}

TEST(minima_rise_or_they_do_not)
{
    static const struct {
        uint32_t least[RULE_SEGMENTS];
        bool want;
    } cases[] = {
        {{1, 2, 3, 4, 5, 6, 7, 8}, true},       {{1, 2, 3, 3, 5, 6, 7, 8}, true}, /* one miss */
        {{1, 2, 3, 3, 5, 5, 7, 8}, false},                                        /* two */
        {{1, 1, 1, 1, 1, 1, 1, 8}, false},                                        /* one step up */
        {{1, 5, 9, 13, 17, 21, 21, 21}, false},                                   /* stopped */
        {{1, 2, 2, 2, 2, 2, 3, 3}, false},      {{8, 7, 6, 5, 4, 3, 2, 1}, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        CHECK_EQ(classes_rising(cases[i].least, RULE_RISES_NEEDED), cases[i].want);
}

/* Steps of which every k-th ticks another clock as well. */
static struct clock_choice choice(enum clock_id fast, uint64_t count, enum clock_id slow,
                                  uint64_t every)
{
    static struct step_record steps[1024];
    struct model model = {.steps = steps, .step_count = (size_t)count};
    struct clock_choice out;
    struct arena *arena;

    memset(steps, 0, sizeof(steps));
    for (uint64_t i = 0; i < count; i++) {
        steps[i].first = steps[i].last = i + 1;
        steps[i].time = (i + 1) * 1000000;
        steps[i].clock[fast] = i + 1;
        steps[i].clock[slow] = (i + 1) / every;
    }
    arena = arena_new();
    clock_choose(&out, &model, arena);
    arena_free(arena); /* with the reason; the rest is constant */
    out.reason = NULL;
    return out;
}

TEST(the_clock_is_the_slowest_that_recurs_or_the_users_own)
{
    CHECK_EQ(choice(CLOCK_batch, 640, CLOCK_model, 16).id, CLOCK_model);  /* 40 models */
    CHECK_EQ(choice(CLOCK_batch, 640, CLOCK_model, 128).id, CLOCK_batch); /* 5 are too few */
    CHECK_EQ(choice(CLOCK_mark, 640, CLOCK_model, 16).id, CLOCK_mark);
    CHECK_EQ(choice(CLOCK_batch, 24, CLOCK_model, 2).id, CLOCK_model); /* 12 models */
    CHECK_EQ(choice(CLOCK_time, 100, CLOCK_time, 1).id, CLOCK_time);
    CHECK_EQ(choice(CLOCK_batch, 640, CLOCK_model, 16).ticks, 40);
}

TEST(epochs_and_turns_are_taken_for_want_of_steps)
{
    CHECK_EQ(choice(CLOCK_batch, 640, CLOCK_epoch, 16).id, CLOCK_batch);
    CHECK_EQ(choice(CLOCK_batch, 640, CLOCK_loop, 16).id, CLOCK_batch);
    CHECK_EQ(choice(CLOCK_loop, 640, CLOCK_batch, 128).id, CLOCK_loop); /* 5 batches */
    CHECK_EQ(choice(CLOCK_time, 640, CLOCK_epoch, 16).id, CLOCK_epoch);
    CHECK_EQ(choice(CLOCK_loop, 640, CLOCK_epoch, 16).id, CLOCK_loop);
    CHECK_EQ(choice(CLOCK_time, 640, CLOCK_loop, 128).id, CLOCK_loop); /* 5, for want of any */
    CHECK_EQ(choice(CLOCK_time, 640, CLOCK_turn, 128).id, CLOCK_time); /* while a script was loaded */
}

TEST(ticks_are_called_what_they_are)
{
    CHECK_TEXT(clock_tick_name(CLOCK_mark), "step");
    CHECK_TEXT(clock_ticks_name(CLOCK_optimizer, 300), "steps");
    CHECK_TEXT(clock_ticks_name(CLOCK_request, 2), "requests");
    CHECK_TEXT(clock_ticks_name(CLOCK_batch, 1), "batch");
    CHECK_TEXT(clock_ticks_name(CLOCK_batch, 640), "batches");
    CHECK_TEXT(clock_ticks_name(CLOCK_loop, 0), "turns");
    CHECK_TEXT(clock_ticks_name(CLOCK_epoch, 3), "epochs");
    CHECK_TEXT(clock_rate_name(CLOCK_time), "second");
    CHECK_TEXT(clock_rate_name(CLOCK_outer), "turn");
    CHECK_TEXT(clock_rate_name(CLOCK_NONE), "step");
    CHECK_TEXT(clock_rate_name(CLOCK_request), "request");
    CHECK_TEXT(clock_rate_field(CLOCK_request), "step"); /* of JSON */
    CHECK_TEXT(clock_rate_field(CLOCK_time), "second");
    CHECK_TEXT(clock_name(CLOCK_mark), "mark");
    CHECK(!clock_name(CLOCK_NONE));
    CHECK_TEXT(clock_name_shown(CLOCK_NONE), "none");
    CHECK_TEXT(clock_ticks_name(CLOCK_NONE, 2), "steps");
}

TEST(bounds_lie_on_either_side_of_the_estimate)
{
    const struct slope turned = stats_in_order((struct slope){5, 8, 2});
    const struct slope fine = stats_in_order((struct slope){5, -1, 9});

    CHECK(turned.low == 5 && turned.estimate == 5 && turned.high == 5);
    CHECK(fine.low == -1 && fine.estimate == 5 && fine.high == 9);
}

TEST(the_sooner_bound_of_a_forecast_is_never_the_later)
{
    const struct clock_choice clock = {.seconds = 0.5};
    struct forecast forecast = {.headroom = 1000};

    forecast_reach(&forecast, &clock, (struct slope){5, 8, 2});
    CHECK(forecast.known && forecast.steps_low == 200 && forecast.steps_high == 200);
    forecast_reach(&forecast, &clock, (struct slope){5, 1e-300, 10});
    CHECK(forecast.known && forecast.steps_low == 100 && forecast.steps_high == 1e18);
    CHECK(forecast.seconds_low == 50 && forecast.seconds_high == 5e17);
    forecast_reach(&forecast, &clock, (struct slope){5, 0, 10});
    CHECK(!forecast.known);
    forecast_reach(&forecast, &clock, (struct slope){-5, -9, 10});
    CHECK(!forecast.known);
}

TEST(more_steps_follow_the_power_of_the_test)
{
    CHECK_EQ(power_more(1, 1, 1, 4), 20);       /* 24 in all: the least window */
    CHECK_EQ(power_more(0.1, 0.1, 10, 0), 208); /* 1.25 * 1.8 ln(10000) / 0.1 */
    CHECK_EQ(power_first(&(struct series){.ticks = 20, .first_look = 32}, 1), 12);
    CHECK_EQ(power_first(&(struct series){.ticks = 9, .first_look = 32}, 150), 3); /* heavy steps */
}
