/* tight.c - only malloc and free of one size: `tight PAIRS SIZE`. Nanoseconds per pair. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words)
{
    const long pairs = count > 1 ? atol(words[1]) : 10000000;
    const size_t size = count > 2 ? strtoul(words[2], NULL, 10) : 64;
    struct timespec begin, end;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < pairs; i++) {
        char *block = malloc(size);

        __asm__ volatile("" : : "r"(block) : "memory");
        block[0] = 1;
        free(block);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.4f\n", ((double)(end.tv_sec - begin.tv_sec) * 1e9 +
                      (double)(end.tv_nsec - begin.tv_nsec)) / (double)pairs);
    return 0;
}
