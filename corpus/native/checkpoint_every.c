/* checkpoint_every.c - every 25 steps the weights are serialized; the last two copies are kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { WEIGHTS = 50000, LAYERS = 6 };

struct checkpoint {
    float *layers[LAYERS];
};

static struct checkpoint *kept[2];

static void checkpoint_free(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    for (int i = 0; i < LAYERS; i++)
        free(checkpoint->layers[i]);
    free(checkpoint);
}

static void save(float *const *weights)
{
    struct checkpoint *checkpoint = malloc(sizeof(*checkpoint));

    for (int i = 0; i < LAYERS; i++) {
        checkpoint->layers[i] = malloc(WEIGHTS * sizeof(float));
        memcpy(checkpoint->layers[i], weights[i], WEIGHTS * sizeof(float));
    }
    checkpoint_free(kept[0]);
    kept[0] = kept[1];
    kept[1] = checkpoint;
}

int main(void)
{
    float *weights[LAYERS];

    for (int i = 0; i < LAYERS; i++) {
        weights[i] = malloc(WEIGHTS * sizeof(float));
        fill_floats(weights[i], WEIGHTS, (uint64_t)i);
    }
    for (uint64_t step = 0; step < 500; step++) {
        tare_step(step);
        weights[step % LAYERS][0] += learn(weights[step % LAYERS], WEIGHTS, 5);
        if (step % 25 == 24)
            save(weights);
    }
    printf("weight %.3f\n", (double)kept[1]->layers[0][0]);
    checkpoint_free(kept[0]);
    checkpoint_free(kept[1]);
    for (int i = 0; i < LAYERS; i++)
        free(weights[i]);
    return 0;
}
