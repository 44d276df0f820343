/* grid_passes.c - read tiles into memory, then smooth them again and again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILES = 150, SIZE = 5000, PASSES = 300 };

static double *tiles[TILES];

static double *read_tile(unsigned number)
{
    const struct timespec wait = {0, 8000000};
    double *tile = malloc(SIZE * sizeof(*tile));

    nanosleep(&wait, NULL);
    for (int i = 0; tile && i < SIZE; i++)
        tile[i] = (double)(number * 7919u % 1000u) + i % 13;
    return tile;
}

static void smooth(double *tile)
{
    double *before = malloc(SIZE * sizeof(*before));

    if (!before)
        return;
    memcpy(before, tile, SIZE * sizeof(*before));
    for (int i = 1; i < SIZE - 1; i++)
        tile[i] = (before[i - 1] + before[i] + before[i + 1]) / 3;
}

int main(void)
{
    const struct timespec wait = {0, 6000000};

    for (unsigned i = 0; i < TILES; i++)
        if (!(tiles[i] = read_tile(i)))
            return 1;
    for (int pass = 0; pass < PASSES; pass++) {
        smooth(tiles[pass % TILES]);
        nanosleep(&wait, NULL);
    }
    printf("%.3f\n", tiles[0][SIZE / 2]);
    return 0;
}
