/* batch_resize.c - a loader that rebuilds its staging buffer for every mini-batch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

struct loader {
    float *staging;
    size_t features;
    uint64_t seed;
};

static void loader_resize(struct loader *loader, size_t rows)
{
    const size_t n = rows * loader->features;

    loader->staging = malloc(n * sizeof(float));
    if (!loader->staging)
        abort();
    fill_floats(loader->staging, n, loader->seed++);
}

static float train_batch(struct loader *loader, size_t rows)
{
    float *gradient = calloc(loader->features, sizeof(float));
    float loss;

    loader_resize(loader, rows);
    for (size_t r = 0; r < rows; r++)
        for (size_t f = 0; f < loader->features; f++)
            gradient[f] += loader->staging[r * loader->features + f];
    loss = learn(gradient, loader->features, 6);
    free(gradient);
    return loss;
}

int main(void)
{
    struct loader loader = {NULL, 32, 7};
    float loss = 0;

    for (uint64_t step = 0; step < 400; step++) {
        tare_step(step);
        loss += train_batch(&loader, 32);
    }
    free(loader.staging);
    printf("loss %.3f\n", (double)loss);
    return 0;
}
