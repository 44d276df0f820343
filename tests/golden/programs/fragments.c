/* fragments.c - fill the heap with records, then free all but one in four. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tare/mark.h>

enum { RECORDS = 60000, BYTES = 1000, STEPS = 200 };

static char *records[RECORDS];

static void fill(void)
{
    for (int i = 0; i < RECORDS; i++)
        records[i] = memset(malloc(BYTES), 1, BYTES);
}

static void prune(void)
{
    for (int i = 0; i < RECORDS; i++)
        if (i % 4 != 0) {
            free(records[i]);
            records[i] = NULL;
        }
}

int main(void)
{
    for (uint64_t step = 0; step < STEPS; step++) {
        tare_step(step);
        if (step == 5)
            fill();
        if (step == 10)
            prune();
        free(memset(malloc(5000), 1, 5000));
        usleep(8000);
    }
    return 0;
}
