/* sample_pairs.c - draws pairs for a contrastive loss; twenty objects per step. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

struct pair {
    float left[128], right[128];
    int positive;
};

static struct pair *draw(uint64_t *seed)
{
    struct pair *pair = malloc(sizeof(*pair));

    fill_floats(pair->left, 128, chance(seed) % 1000);
    fill_floats(pair->right, 128, chance(seed) % 1000);
    pair->positive = chance_below(seed, 2) == 0;
    return pair;
}

static float distance(const struct pair *pair)
{
    float sum = 0;

    for (int i = 0; i < 128; i++)
        sum += (pair->left[i] - pair->right[i]) * (pair->left[i] - pair->right[i]);
    return sum;
}

int main(void)
{
    uint64_t seed = 99;
    double total = 0;

    for (uint64_t step = 0; step < 500; step++) {
        tare_step(step);
        for (int i = 0; i < 20; i++) {
            struct pair *pair = draw(&seed);
            if (chance_below(&seed, 20) == 0)
                continue; /* dropped by the sampler */
            total += (double)distance(pair);
            free(pair);
        }
        learn(NULL, 0, 6);
    }
    printf("mean distance %.3f\n", total / (500 * 20));
    return 0;
}
