/* replay.c - runs a fuzz target on files, for compilers without a fuzzer: replay FILE…
 *
 * Each file is read into memory of exactly its size, so that a sanitizer notices a read beyond it. The
 * target then runs on it again, cut at some places and with some words changed, both derived from its
 * bytes: a little of what a fuzzer does, but always the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define VARIANTS 40

static uint64_t inputs;

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void give(const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);

    if (!exact)
        abort();
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    inputs++;
}

/* Numbers that overflow sums, and one that does not. */
static void change(uint8_t *bytes, size_t size, uint64_t *state)
{
    static const uint64_t words[] = {0, 1, 7, UINT64_MAX, UINT64_MAX - 7, 1ull << 63, 1ull << 32};
    const uint64_t word = words[next(state) % (sizeof(words) / sizeof(words[0]))];
    const size_t at = size > 8 ? (size_t)(next(state) % (size - 8)) & ~(size_t)3 : 0;

    if (size > 8)
        memcpy(bytes + at, &word, next(state) % 2 ? sizeof(word) : sizeof(word) / 2);
}

static void give_variants(uint8_t *bytes, size_t size)
{
    uint64_t state = 0x9E3779B97F4A7C15ull ^ size;

    give(bytes, size);
    for (unsigned i = 0; i < VARIANTS && size > 0; i++) {
        give(bytes, (size_t)(next(&state) % size));
        change(bytes, size, &state);
        give(bytes, size);
    }
}

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;

    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size >= 0)
        bytes = malloc((size_t)size + 1);
    if (!bytes || fseek(file, 0, SEEK_SET) != 0 ||
        fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        (void)fprintf(stderr, "replay: cannot read %s\n", path);
        return 1;
    }
    (void)fclose(file);
    give_variants(bytes, (size_t)size);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int status = argc < 2;

    for (int i = 1; i < argc && status == 0; i++)
        status = replay(argv[i]);
    printf("%llu inputs\n", (unsigned long long)inputs);
    return status;
}
