/* frame_ring.c - the last 150 frames of a camera, for a model that looks back in time. */
#include <stdio.h>
#include <stdlib.h>
#include <tare/mark.h>

#include "work.h"

enum { KEPT = 150, PIXELS = 64 * 64 * 3 };

static unsigned char *ring[KEPT];

static unsigned char *capture(uint64_t step)
{
    unsigned char *frame = malloc(PIXELS);

    for (int i = 0; i < PIXELS; i++)
        frame[i] = (unsigned char)(step + (uint64_t)i);
    return frame;
}

int main(void)
{
    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        free(ring[step % KEPT]);
        ring[step % KEPT] = capture(step);
        consume(ring[step % KEPT], PIXELS);
        learn(NULL, 0, 5);
    }
    printf("oldest pixel %d\n", ring[0][0]);
    return 0;
}
