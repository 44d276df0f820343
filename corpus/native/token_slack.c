/* token_slack.c - token lists are built with room for 500 and cut to their length; the
 * newest 40,000 sentences are held.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { SENTENCES = 40000, ROOM = 500, PER_STEP = 300 };

static uint32_t *sentences[SENTENCES];

static void tokenize(uint32_t **batch, uint64_t number, size_t words)
{
    for (size_t s = 0; s < PER_STEP; s++) {
        batch[s] = malloc(ROOM * sizeof(**batch));
        for (size_t i = 0; i < ROOM; i++)
            batch[s][i] = (uint32_t)(number * 31 + s + i);
    }
    for (size_t s = 0; s < PER_STEP; s++)
        batch[s] = realloc(batch[s], words * sizeof(**batch));
}

int main(void)
{
    uint64_t sum = 0;
    size_t slot = 0;

    for (size_t i = 0; i < SENTENCES; i++)
        sentences[i] = calloc(12, sizeof(uint32_t));
    for (uint64_t step = 0; step < 350; step++) {
        uint32_t *batch[PER_STEP];

        tare_step(step);
        tokenize(batch, step, 12);
        for (int i = 0; i < PER_STEP; i++, slot = (slot + 1) % SENTENCES) {
            free(sentences[slot]);
            sentences[slot] = batch[i];
            sum += sentences[slot][3];
        }
        learn(NULL, 0, 4);
    }
    printf("sum %llu\n", (unsigned long long)sum);
    return 0;
}
