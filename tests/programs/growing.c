/* growing.c - keeps a block in each step that realloc has made larger: `growing STEPS`.
 *
 * The small size is busy, so chance chooses the samples there. The large size is rare, so it is watched.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 200; i++) {
        char *space = malloc(300);

        memset(space, 1, 300);
        free(space);
    }
}

__attribute__((noinline)) static char *grow(void)
{
    char *block = malloc(300);

    memset(block, 2, 300);
    return realloc(block, 1600);
}

int main(int argc, char **argv)
{
    const size_t steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    char **kept = calloc(steps, sizeof(*kept));

    for (size_t i = 0; i < steps; i++) {
        tare_step(i);
        work();
        kept[i] = grow();
    }
    printf("%zu\n", steps);
    return 0;
}
