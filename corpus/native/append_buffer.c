/* append_buffer.c - all predictions so far in one array, made longer at every step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { BATCH = 2000 };

static float *predictions;
static size_t count;

static void append(const float *batch)
{
    float *longer = realloc(predictions, (count + BATCH) * sizeof(*longer));

    if (!longer)
        abort();
    predictions = longer;
    memcpy(predictions + count, batch, BATCH * sizeof(*batch));
    count += BATCH;
}

int main(void)
{
    for (uint64_t step = 0; step < 400; step++) {
        float *batch;

        tare_step(step);
        batch = malloc(BATCH * sizeof(*batch));
        fill_floats(batch, BATCH, step);
        learn(batch, BATCH, 6);
        append(batch);
        free(batch);
    }
    printf("%zu predictions, last %.2f\n", count, (double)predictions[count - 1]);
    return 0;
}
