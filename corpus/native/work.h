/* work.h - what every program here needs and none is about: seeded chance, and arithmetic that
 * takes the time a small training step takes. Nothing in this file allocates.
 */
#ifndef CORPUS_WORK_H
#define CORPUS_WORK_H

#include <stddef.h>
#include <stdint.h>

static volatile float work_sink;

/* xorshift64*: the same sequence on every run; one state per user. */
static inline uint64_t chance(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

static inline size_t chance_below(uint64_t *state, size_t bound)
{
    return (size_t)((chance(state) >> 16) % bound);
}

static inline void fill_floats(float *x, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)((seed * 31 + i * 7) % 101) * 0.01f;
}

/* Reads n bytes, so that the block has really been used. */
static inline void consume(const void *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    unsigned sum = 0;

    for (size_t i = 0; i < n; i += 64)
        sum += at[i];
    work_sink = work_sink + (float)sum;
}

/* A layer's worth of multiply-adds: five rounds take 2 to 4 ms on an ordinary core. */
static inline float learn(const float *x, size_t n, int rounds)
{
    static const float weight[64] = {0.5f, 0.25f, 0.125f, -0.5f, -0.25f, 0.75f, 0.1f, -0.1f};
    float state = 0.1f;

    for (int r = 0; r < rounds * 64; r++) {
        for (size_t i = 0; i < 4096; i++)
            state = state * 0.97f + (n ? x[(i + (size_t)r) % n] : 0.3f) * weight[i % 64];
    }
    work_sink = work_sink + state;
    return state;
}

#endif /* CORPUS_WORK_H */
