/* sample_pure.c - see sample_pure.h. */
#include "probe/core/sample_pure.h"


#define LOG_CELLS 256 /* linear between them: relative error of a mean below 2e-6 */
#define EXP_PER_UNIT 8
#define INTERVAL_MOST (1ll << 50) /* far below the bite of a watched class (rate.h) */
#define EXP_UNITS 32 /* exp(-32) is below one byte in a terabyte */

static double log_table[LOG_CELLS + 1]; /* -ln(m) for m = 1/2 … 1 */
static double exp_table[EXP_UNITS * EXP_PER_UNIT + 1];

/* -ln(m) = -2 atanh((m - 1) / (m + 1)); for m in [1/2, 1] the ratio is at most 1/3. */
static double minus_log(double m)
{
    const double z = (1 - m) / (1 + m), square = z * z;
    double power = z, sum = 0;

    for (int odd = 1; odd < 40; odd += 2) {
        sum += power / odd;
        power *= square;
    }
    return 2 * sum;
}

/* exp(-r) for r in [0, 1/8]. */
static double small_exp(double r)
{
    return 1 - r * (1 - r / 2 * (1 - r / 3 * (1 - r / 4 * (1 - r / 5 * (1 - r / 6)))));
}

void sample_prepare(void)
{
    const double eighth = small_exp(1.0 / EXP_PER_UNIT);

    for (int i = 0; i <= LOG_CELLS; i++)
        log_table[i] = minus_log(0.5 + 0.5 * i / LOG_CELLS);
    exp_table[0] = 1;
    for (int i = 1; i <= EXP_UNITS * EXP_PER_UNIT; i++)
        exp_table[i] = exp_table[i - 1] * eighth;
}

uint64_t sample_seed(uint64_t value)
{
    value += 0x9E3779B97F4A7C15ull;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
    value ^= value >> 31;
    return value ? value : 1;
}

uint64_t sample_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545F4914F6CDD1Dull;
}

/* -ln(u) for u uniform on (0, 1]: u = m * 2^-zeros with m in [1/2, 1). */
static double exponential(uint64_t random)
{
    const int zeros = random ? __builtin_clzll(random) : 63;
    const uint64_t mantissa = (random ? random : 1) << zeros; /* top bit set */
    const double place = (double)(mantissa - (1ull << 63)) * (LOG_CELLS / 9223372036854775808.0);
    int cell = (int)place;
    double part;

    cell = cell < LOG_CELLS ? cell : LOG_CELLS - 1;
    part = place - cell;
    return zeros * log_table[0] + log_table[cell] + part * (log_table[cell + 1] - log_table[cell]);
}

int64_t sample_interval(uint64_t *state, uint64_t rate)
{
    const double units = exponential(sample_random(state)) * (double)rate / SAMPLE_UNIT;

    return units >= (double)INTERVAL_MOST ? INTERVAL_MOST : (int64_t)units + 1;
}

uint64_t sample_weight(uint64_t size, uint64_t units, uint64_t rate)
{
    const double span = (double)(units ? units : 1) * SAMPLE_UNIT;
    const double x = span / (double)(rate ? rate : 1);
    double miss; /* exp(-x): the chance that no sample falls into the block */
    int cell;

    if (x >= EXP_UNITS)
        return size;
    if (x < 0.5) /* x / (1 - exp(-x)) = 1 + x/2 + x^2/12 - x^4/720 + … */
        return (uint64_t)((double)size / x * (1 + x / 2 + x * x / 12 - x * x * x * x / 720) + 0.5);
    cell = (int)(x * EXP_PER_UNIT);
    miss = exp_table[cell] * small_exp(x - (double)cell / EXP_PER_UNIT);
    return (uint64_t)((double)size / (1 - miss) + 0.5);
}
