/* rare_spikes.c - one batch in sixty is very long and needs forty times the room. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

int main(void)
{
    uint64_t seed = 29;
    double sum = 0;
    int longest = 0;

    for (uint64_t step = 0; step < 500; step++) {
        const int is_long = chance_below(&seed, 60) == 0;
        const size_t n = is_long ? 400000 : 10000;
        float *scores;

        tare_step(step);
        scores = malloc(n * sizeof(*scores));
        fill_floats(scores, n, step);
        sum += (double)learn(scores, n, 5);
        longest += is_long;
        free(scores);
    }
    printf("sum %.3f, %d long batches\n", sum, longest);
    return 0;
}
