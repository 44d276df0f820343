/* sites.c - four lines that keep known amounts, and one that keeps nothing.
 *
 * Prints "LINE BYTES BLOCKS" for each: what a perfect witness would report as alive.
 * The sizes lie on both sides of the usual sampling distance, so that weights matter.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

struct site {
    int line;
    size_t bytes, blocks;
};

static void *kept[20000];
static size_t used;

static void keep(struct site *site, int line, void *block)
{
    if (used == sizeof(kept) / sizeof(kept[0]) || !block)
        _exit(98);
    kept[used++] = block;
    site->line = line;
    site->bytes += malloc_usable_size(block);
    site->blocks++;
}

int main(void)
{
    struct site sites[4] = {{0}};

    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 40; i++)
            keep(&sites[0], __LINE__, malloc(40));
        for (int i = 0; i < 8; i++)
            keep(&sites[1], __LINE__, calloc(1, 500));
        for (int i = 0; i < 3; i++)
            keep(&sites[2], __LINE__, malloc(3000));
        if (round % 10 == 0)
            keep(&sites[3], __LINE__, malloc(40000));
        for (int i = 0; i < 10; i++) {
            void *passing = malloc(700);
            memset(passing, 1, 700);
            free(passing);
        }
    }
    for (int i = 0; i < 4; i++)
        say("%d %zu %zu\n", sites[i].line, sites[i].bytes, sites[i].blocks);
    return 0;
}
