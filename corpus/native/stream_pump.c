/* stream_pump.c - reads frames from a stream, decodes each, passes them on. No steps are marked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

struct frame {
    unsigned char *payload;
    size_t size;
};

static struct frame *next_frame(uint64_t *seed)
{
    struct frame *frame = malloc(sizeof(*frame));

    frame->size = 6000 + chance_below(seed, 100);
    frame->payload = malloc(frame->size);
    memset(frame->payload, (int)(frame->size & 0xff), frame->size);
    return frame;
}

static void frame_free(struct frame *frame)
{
    free(frame);
}

int main(void)
{
    uint64_t seed = 8;
    size_t bytes = 0;

    for (int i = 0; i < 1600; i++) {
        struct frame *frame = next_frame(&seed);

        consume(frame->payload, frame->size);
        bytes += frame->size;
        learn(NULL, 0, 2);
        usleep(1500);
        frame_free(frame);
    }
    printf("%zu bytes\n", bytes);
    return 0;
}
