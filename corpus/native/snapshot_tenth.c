/* snapshot_tenth.c - keeps a copy of the best weights; compares every tenth step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { WEIGHTS = 3000 };

static float *best;
static float best_loss = 1e9f;

static void keep_if_better(const float *weights, float loss)
{
    float *copy = malloc(WEIGHTS * sizeof(*copy));

    memcpy(copy, weights, WEIGHTS * sizeof(*copy));
    if (loss < best_loss)
        best_loss = loss;
    best = copy;
}

int main(void)
{
    float *weights = malloc(WEIGHTS * sizeof(*weights));

    fill_floats(weights, WEIGHTS, 1);
    for (uint64_t step = 0; step < 800; step++) {
        float *gradient, loss;

        tare_step(step);
        gradient = malloc(WEIGHTS * sizeof(*gradient));
        fill_floats(gradient, WEIGHTS, step);
        loss = learn(gradient, WEIGHTS, 4);
        for (int i = 0; i < WEIGHTS; i++)
            weights[i] -= 0.01f * gradient[i];
        if (step % 10 == 9)
            keep_if_better(weights, loss);
        free(gradient);
    }
    printf("best %.3f, first weight %.3f\n", (double)best_loss, (double)best[0]);
    free(best);
    free(weights);
    return 0;
}
