/* map_windows.c - slides a window over a data file with mmap, one window per step. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <tare/mark.h>

#include "work.h"

enum { WINDOW = 256 * 1024, STEPS = 300 };

/* Two windows per step: what was read, and room for what is made of it. */
static float process(int fd, off_t at)
{
    const float *in = mmap(NULL, WINDOW, PROT_READ, MAP_PRIVATE, fd, at);
    float *out = mmap(NULL, WINDOW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    float first;

    if (in == MAP_FAILED || out == MAP_FAILED)
        abort();
    for (size_t i = 0; i < WINDOW / sizeof(float); i++)
        out[i] = in[i] * 0.5f + 1.0f;
    first = learn(out, WINDOW / sizeof(float), 8);
    munmap((void *)(uintptr_t)in, WINDOW);
    return first;
}

int main(void)
{
    FILE *file = tmpfile();
    double sum = 0;

    if (!file || ftruncate(fileno(file), 16 * WINDOW) != 0)
        return 1;
    for (uint64_t step = 0; step < STEPS; step++) {
        tare_step(step);
        sum += (double)process(fileno(file), (off_t)(step % 16) * WINDOW);
    }
    fclose(file);
    printf("sum %.3f\n", sum);
    return 0;
}
