/* random.h - seeded random numbers, the same on every machine. */
#ifndef TARE_SIMULATE_RANDOM_H
#define TARE_SIMULATE_RANDOM_H

#include <math.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *random) /* splitmix64 */
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15ull;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

static inline double random_unit(struct random *random) /* in [0, 1) */
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

static inline uint64_t random_between(struct random *random, uint64_t low, uint64_t high)
{
    return low + random_bits(random) % (high - low + 1);
}

static inline double random_exponential(struct random *random, double mean)
{
    return -mean * log(1 - random_unit(random));
}

static inline uint64_t random_poisson(struct random *random, double mean)
{
    const double limit = exp(-mean);
    double product = random_unit(random);
    uint64_t count = 0;

    for (; product > limit; count++)
        product *= random_unit(random);
    return count;
}

#endif /* TARE_SIMULATE_RANDOM_H */
