/* parse_rows.c - reads text rows into feature vectors; malformed rows are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

enum { COLUMNS = 48 };

static size_t make_row(char *text, size_t room, uint64_t *seed)
{
    size_t used = 0;
    const int broken = chance_below(seed, 5) == 0;

    for (int c = 0; c < COLUMNS; c++)
        used += (size_t)snprintf(text + used, room - used, "%zu.%zu,", chance_below(seed, 100),
                                 chance_below(seed, 10));
    if (broken)
        text[used / 2] = '?';
    return used;
}

/* The features of a row, or NULL when a cell is not a number. */
static float *parse_row(const char *text)
{
    float *features = malloc(COLUMNS * sizeof(*features));
    const char *at = text;

    for (int c = 0; c < COLUMNS; c++) {
        char *end;
        features[c] = strtof(at, &end);
        if (*end != ',')
            return NULL;
        at = end + 1;
    }
    return features;
}

int main(void)
{
    uint64_t seed = 11;
    char text[1024];
    size_t skipped = 0;

    for (uint64_t step = 0; step < 500; step++) {
        tare_step(step);
        for (int row = 0; row < 16; row++) {
            float *features;
            make_row(text, sizeof(text), &seed);
            features = parse_row(text);
            if (!features) {
                skipped++;
                continue;
            }
            learn(features, COLUMNS, 0);
            free(features);
        }
        learn(NULL, 0, 6);
    }
    printf("skipped %zu rows\n", skipped);
    return 0;
}
