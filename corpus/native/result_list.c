/* result_list.c - every step's predictions are linked into a list for a summary at the end. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

struct result {
    struct result *next;
    uint64_t step;
    float scores[500];
};

static struct result *results;

static void remember(uint64_t step, float loss)
{
    struct result *result = malloc(sizeof(*result));

    result->step = step;
    fill_floats(result->scores, 500, step);
    result->scores[0] = loss;
    result->next = results;
    results = result;
}

int main(void)
{
    double sum = 0;

    for (uint64_t step = 0; step < 400; step++) {
        float *batch;

        tare_step(step);
        batch = malloc(1024 * sizeof(float));
        fill_floats(batch, 1024, step);
        remember(step, learn(batch, 1024, 6));
        free(batch);
    }
    for (const struct result *r = results; r; r = r->next)
        sum += (double)r->scores[0];
    printf("mean %.3f\n", sum / 400);
    return 0;
}
