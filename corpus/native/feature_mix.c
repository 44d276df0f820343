/* feature_mix.c - mixes many random feature blocks per step: about 10 MB pass through the heap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { BLOCKS = 400, STEPS = 500 };

struct norm {
    float mean[126];
    float scale[126];
};

static float apply_norm(const float *block, size_t n)
{
    struct norm *norm = malloc(sizeof(*norm));

    for (size_t i = 0; i < 126; i++) {
        norm->mean[i] = block[i % n];
        norm->scale[i] = 1.0f + block[(i * 3) % n];
    }
    return norm->mean[5] / norm->scale[7];
}

int main(void)
{
    uint64_t seed = 77;
    double sum = 0;

    for (uint64_t step = 0; step < STEPS; step++) {
        float *blocks[BLOCKS];
        size_t sizes[BLOCKS];

        tare_step(step);
        for (int b = 0; b < BLOCKS; b++) {
            sizes[b] = 16 + chance_below(&seed, 12500);
            blocks[b] = malloc(sizes[b] * sizeof(float));
            fill_floats(blocks[b], sizes[b] / 8 + 1, step);
        }
        sum += (double)apply_norm(blocks[0], 16);
        learn(blocks[1], 16, 4);
        for (int b = 0; b < BLOCKS; b++)
            free(blocks[b]);
    }
    printf("sum %.3f\n", sum);
    return 0;
}
