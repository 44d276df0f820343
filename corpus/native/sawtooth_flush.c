/* sawtooth_flush.c - log lines are collected and written out whenever 40 KB have come together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

struct line {
    struct line *next;
    size_t length;
    char text[];
};

static struct line *pending;
static size_t pending_bytes, written;

static void flush(FILE *out)
{
    while (pending) {
        struct line *next = pending->next;
        written += fwrite(pending->text, 1, pending->length, out);
        free(pending);
        pending = next;
    }
    pending_bytes = 0;
}

static void log_step(uint64_t step, uint64_t *seed)
{
    const size_t length = 600 + chance_below(seed, 900);
    struct line *line = malloc(sizeof(*line) + length);

    memset(line->text, (int)('a' + step % 26), length);
    line->length = length;
    line->next = pending;
    pending = line;
    pending_bytes += length;
}

int main(void)
{
    FILE *out = fopen("/dev/null", "w");
    uint64_t seed = 71;

    if (!out)
        return 1;
    for (uint64_t step = 0; step < 600; step++) {
        tare_step(step);
        log_step(step, &seed);
        if (pending_bytes > 40000)
            flush(out);
        learn(NULL, 0, 5);
    }
    flush(out);
    fclose(out);
    printf("%zu bytes\n", written);
    return 0;
}
