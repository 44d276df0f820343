/* Tiles of a map are put into memory of their own, one by one, and given back when all is done. */
#include <stdio.h>
#include <sys/mman.h>
#include <tare/mark.h>

#include "work.h"

#define TILES 300
#define TILE  (64 * 1024)

int main(void)
{
    static void *tiles[TILES];

    for (int i = 0; i < TILES; i++) {
        tiles[i] = mmap(NULL, TILE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (tiles[i] == MAP_FAILED)
            return 1;
        fill_floats(tiles[i], TILE / sizeof(float), (uint64_t)i);
        tare_step((uint64_t)i);
    }
    for (int i = 0; i < TILES; i++)
        munmap(tiles[i], TILE);
    puts("done");
    return 0;
}
