/* retry_fetch.c - fetches shards from an unreliable store and retries what failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/mark.h>

#include "work.h"

struct shard {
    unsigned char *bytes;
    size_t size;
    uint32_t checksum;
};

static int transfer(unsigned char *to, size_t size, uint64_t *seed)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(i * 13);
    return chance_below(seed, 4) == 0 ? -1 : 0;
}

static int fetch(struct shard *shard, size_t size, uint64_t *seed)
{
    unsigned char *buffer = malloc(size);
    char *request = malloc(128);
    int err = 0;

    snprintf(request, 128, "GET /shards?size=%zu", size);
    if (!buffer) {
        err = -1;
        goto out;
    }
    if (transfer(buffer, size, seed) != 0) {
        err = -1;
        goto out;
    }
    shard->bytes = buffer;
    shard->size = size;
    shard->checksum = buffer[size / 2] + (uint32_t)strlen(request);
out:
    free(request);
    return err;
}

int main(void)
{
    uint64_t seed = 21, sum = 0;
    int retries = 0;

    for (uint64_t step = 0; step < 400; step++) {
        struct shard shard = {0};

        tare_step(step);
        while (fetch(&shard, 20000, &seed) != 0)
            retries++;
        sum += shard.checksum;
        consume(shard.bytes, shard.size);
        learn(NULL, 0, 6);
        free(shard.bytes);
    }
    printf("checksum %llu after %d retries\n", (unsigned long long)sum, retries);
    return 0;
}
