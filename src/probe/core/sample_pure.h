/* sample_pure.h - the arithmetic of Poisson sampling by bytes (docs/internals/sampling.md derives it).
 *
 * Plain functions of their arguments. Logarithm and exponential come from own small tables: the
 * probe links only to libc.
 */
#ifndef TARE_PROBE_SAMPLE_PURE_H
#define TARE_PROBE_SAMPLE_PURE_H

#include <stdint.h>


/* Fills the tables; once, before the others are called. Calling it again changes nothing. */
void sample_prepare(void);

/* The next number of a 64-bit generator; the state is never 0. */
uint64_t sample_random(uint64_t *state);
uint64_t sample_seed(uint64_t value);

#define SAMPLE_UNIT 16 /* bytes; the sampler counts in these */

/* Units until the next sample: exponential with a mean of `rate` bytes, rounded up, at least 1.
 * A block of u units then holds the sample with chance 1 - exp(-16 u / rate), exactly. */
int64_t sample_interval(uint64_t *state, uint64_t rate);

/* Bytes that a sampled block of `size` bytes and `units` stands for:
 * size / (1 - exp(-16 units / rate)). */
uint64_t sample_weight(uint64_t size, uint64_t units, uint64_t rate);

/* Units of a block: what glibc's chunk takes, its header included. */
static inline uint64_t sample_units(uint64_t usable)
{
    return (usable + 8) / SAMPLE_UNIT;
}

#endif /* TARE_PROBE_SAMPLE_PURE_H */
