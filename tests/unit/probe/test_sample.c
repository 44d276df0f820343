/* test_sample.c - the arithmetic of sampling against the mathematical library. */
#include <math.h>

#include "probe/core/sample_pure.h"
#include "test.h"

static bool near(double got, double want, double relative)
{
    return fabs(got - want) <= relative * fabs(want);
}

TEST(intervals_are_exponential)
{
    const uint64_t rate = 65536;
    const int draws = 2000000;
    uint64_t state = sample_seed(7);
    double sum = 0, squares = 0;
    int above_mean = 0;

    sample_prepare();
    for (int i = 0; i < draws; i++) {
        const double units = (double)sample_interval(&state, rate) - 0.5; /* it is rounded up */
        const double bytes = units * SAMPLE_UNIT;

        sum += bytes;
        squares += bytes * bytes;
        above_mean += bytes > (double)rate;
    }
    /* Standard error of the mean is 0.07%; five of them, and the same for the other two. */
    CHECK(near(sum / draws, (double)rate, 0.0036));
    CHECK(near(squares / draws, 2.0 * (double)rate * (double)rate, 0.012));
    CHECK(near((double)above_mean / draws, exp(-1), 0.006));
}

TEST(intervals_are_never_below_one)
{
    uint64_t state = sample_seed(1);

    sample_prepare();
    for (int i = 0; i < 100000; i++)
        CHECK(sample_interval(&state, 1) >= 1);
    CHECK(sample_interval(&state, UINT64_MAX) <= 1ll << 50);
}

TEST(weights_are_size_over_chance)
{
    static const uint64_t sizes[] = {24, 72, 1032, 4104, 32760, 65544, 131064, 524280, 8388600};
    static const uint64_t rates[] = {16, 4096, 65536, 524288, 4194304};

    sample_prepare();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
            const uint64_t units = sample_units(sizes[i]);
            const double chance = -expm1(-(double)units * SAMPLE_UNIT / (double)rates[k]);
            const double want = (double)sizes[i] / chance;
            const double got = (double)sample_weight(sizes[i], units, rates[k]);

            if (fabs(got - want) > 1 + 1e-6 * want)
                test_fail(__FILE__, __LINE__, "size %ju rate %ju: %.1f, want %.1f",
                          (uintmax_t)sizes[i], (uintmax_t)rates[k], got, want);
        }
}

TEST(seeds_are_never_zero)
{
    for (uint64_t i = 0; i < 100000; i++)
        CHECK(sample_seed(i * 0x9E3779B97F4A7C15ull) != 0);
}
