/* double_buffer.c - one buffer is filled while the other is used; both are replaced in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

static float *load(uint64_t step)
{
    const size_t n = 20000 + (step % 7) * 512;
    float *buffer = malloc(n * sizeof(*buffer));

    fill_floats(buffer, n, step);
    return buffer;
}

int main(void)
{
    float *buffers[2] = {NULL, NULL};
    double loss = 0;

    buffers[0] = load(0);
    for (uint64_t step = 0; step < 500; step++) {
        const size_t now = step % 2, next = 1 - now;

        tare_step(step);
        free(buffers[next]);
        buffers[next] = load(step + 1);
        loss += (double)learn(buffers[now], 20000, 5);
    }
    free(buffers[0]);
    free(buffers[1]);
    printf("loss %.3f\n", loss);
    return 0;
}
