/* steady_batches.c - the plainest training loop: a batch, two activations, a gradient. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

static float *tensor(size_t n, uint64_t seed)
{
    float *out = malloc(n * sizeof(*out));

    fill_floats(out, n, seed);
    return out;
}

int main(void)
{
    float *weights = tensor(8192, 1);
    double loss = 0;

    for (uint64_t step = 0; step < 500; step++) {
        float *batch, *hidden, *gradient;

        tare_step(step);
        batch = tensor(4096, step);
        hidden = tensor(8192, step + 1);
        gradient = tensor(8192, step + 2);
        loss += (double)learn(hidden, 8192, 5);
        for (size_t i = 0; i < 8192; i++)
            weights[i] -= 0.01f * gradient[i] * batch[i % 4096];
        free(gradient);
        free(hidden);
        free(batch);
    }
    printf("loss %.3f, weight %.3f\n", loss, (double)weights[9]);
    free(weights);
    return 0;
}
