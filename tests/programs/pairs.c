/* pairs.c - a tight loop of malloc and free: `pairs COUNT SIZE`. What it costs is all that counts.
 *
 * Two blocks are alive at a time, so that each call of malloc comes from the thread's cache.
 */
#include <stdlib.h>

int main(int count, char **words)
{
    const long pairs = count > 1 ? atol(words[1]) : 1000;
    const size_t size = count > 2 ? strtoul(words[2], NULL, 10) : 64;
    char *previous = malloc(size);

    for (long i = 0; i < pairs; i++) {
        char *block = malloc(size);

        __asm__ volatile("" : : "r"(block) : "memory");
        block[0] = 1;
        free(previous);
        previous = block;
    }
    free(previous);
    return 0;
}
