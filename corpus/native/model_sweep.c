/* model_sweep.c - a search over model shapes: builds, trains and drops one model per trial. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { LAYERS = 150, TRIALS = 12 };

struct layer {
    float *weights;
    size_t n;
};

struct model {
    struct layer *layers;
    size_t count;
};

static struct model *model_new(size_t width)
{
    struct model *model = malloc(sizeof(*model));

    model->count = LAYERS;
    model->layers = calloc(LAYERS, sizeof(*model->layers));
    for (size_t i = 0; i < LAYERS; i++) {
        model->layers[i].n = width;
        model->layers[i].weights = malloc(width * sizeof(float));
        fill_floats(model->layers[i].weights, width, i);
    }
    return model;
}

static void model_free(struct model *model)
{
    free(model->layers);
    free(model);
}

int main(void)
{
    float best = 1e9f;

    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        struct model *model;

        tare_step(trial);
        model = model_new(16000 + 64 * trial);
        for (size_t i = 0; i < model->count; i++) {
            const float loss = learn(model->layers[i].weights, model->layers[i].n, 3);
            if (loss < best)
                best = loss;
        }
        model_free(model);
    }
    printf("best %.3f\n", (double)best);
    return 0;
}
