/* short_trial.c - a smoke test of the training loop: five steps and out. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

static float *activations(uint64_t step)
{
    float *out = malloc(5000 * sizeof(*out));

    fill_floats(out, 5000, step);
    return out;
}

int main(void)
{
    float loss = 0;

    for (uint64_t step = 0; step < 5; step++) {
        tare_step(step);
        loss += learn(activations(step), 5000, 300);
    }
    printf("loss %.3f\n", (double)loss);
    return 0;
}
