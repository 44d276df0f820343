/* mapped_shards.c - shards of a data file are mapped, read and unmapped; three stay open. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <tare/mark.h>

#include "work.h"

enum { SHARD = 512 * 1024, SHARDS = 24, OPEN = 3 };

int main(void)
{
    FILE *file = tmpfile();
    float *open_shards[OPEN] = {NULL};
    double sum = 0;

    if (!file || ftruncate(fileno(file), (off_t)SHARD * SHARDS) != 0)
        return 1;
    for (uint64_t step = 0; step < 400; step++) {
        float **slot = &open_shards[step % OPEN];

        tare_step(step);
        if (*slot)
            munmap(*slot, SHARD);
        *slot = mmap(NULL, SHARD, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file),
                     (off_t)(step * 5 % SHARDS) * SHARD);
        if (*slot == MAP_FAILED)
            return 1;
        fill_floats(*slot, 4096, step);
        sum += (double)learn(*slot, SHARD / sizeof(float), 6);
    }
    fclose(file);
    printf("sum %.3f\n", sum);
    return 0;
}
