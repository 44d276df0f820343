/* eight_batches.c - one pass over a data set of eight batches. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

struct note {
    struct note *next;
    float loss[250];
};

static struct note *notes;

int main(void)
{
    for (uint64_t step = 0; step < 8; step++) {
        float *batch;
        struct note *note;

        tare_step(step);
        batch = malloc(20000 * sizeof(*batch));
        note = malloc(sizeof(*note));
        fill_floats(batch, 20000, step);
        fill_floats(note->loss, 250, step);
        note->loss[0] = learn(batch, 20000, 250);
        note->next = notes;
        notes = note;
        free(batch);
    }
    printf("last loss %.3f\n", (double)notes->loss[0]);
    return 0;
}
