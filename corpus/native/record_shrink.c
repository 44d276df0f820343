/* record_shrink.c - records are read into buffers of the largest size and then cut to what they
 * need; a table holds the newest 16,000 of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { RECORDS = 16000, LARGEST = 12000, NEEDED = 80, PER_STEP = 150 };

static char *records[RECORDS];

/* A batch is read as a whole, every record with the most room it could need. */
static void read_batch(char **batch, uint64_t number)
{
    for (int i = 0; i < PER_STEP; i++) {
        batch[i] = malloc(LARGEST);
        memset(batch[i], (int)(number & 0x7f), LARGEST);
    }
    for (int i = 0; i < PER_STEP; i++)
        batch[i] = realloc(batch[i], NEEDED);
}

int main(void)
{
    size_t sum = 0, slot = 0;

    for (size_t i = 0; i < RECORDS; i++) {
        records[i] = malloc(NEEDED);
        memset(records[i], 1, NEEDED);
    }
    for (uint64_t step = 0; step < 300; step++) {
        char *batch[PER_STEP];

        tare_step(step);
        read_batch(batch, step);
        for (int i = 0; i < PER_STEP; i++, slot = (slot + 1) % RECORDS) {
            free(records[slot]);
            records[slot] = batch[i];
            sum += (size_t)records[slot][0];
        }
        learn(NULL, 0, 4);
    }
    printf("sum %zu\n", sum);
    return 0;
}
