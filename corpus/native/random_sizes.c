/* random_sizes.c - sequences of random length with random lifetimes of up to a few steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { SLOTS = 300 };

int main(void)
{
    char *slots[SLOTS] = {NULL};
    uint64_t seed = 83, replaced = 0;

    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        for (int i = 0; i < 120; i++) {
            const size_t slot = chance_below(&seed, SLOTS);
            const size_t size = 16 + chance_below(&seed, 1u << (4 + chance_below(&seed, 10)));
            free(slots[slot]);
            slots[slot] = malloc(size);
            memset(slots[slot], 1, size);
            replaced++;
        }
        learn(NULL, 0, 5);
    }
    for (int i = 0; i < SLOTS; i++)
        free(slots[i]);
    printf("%llu sequences\n", (unsigned long long)replaced);
    return 0;
}
