/* arena.c - see arena.h. Chunks in a list, the newest first; a chunk is never moved. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define CHUNK (64 * 1024)

struct chunk {
    struct chunk *next; /* owned */
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

struct arena {
    struct chunk *chunks; /* owned */
    int failed;
};

struct arena *arena_new(void)
{
    return mem_zalloc(sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
    struct chunk *chunk = arena ? arena->chunks : NULL;

    while (chunk) {
        struct chunk *next = chunk->next;

        mem_free(chunk);
        chunk = next;
    }
    mem_free(arena);
}

static struct chunk *chunk_with(struct arena *arena, size_t bytes)
{
    struct chunk *chunk = arena->chunks;
    const size_t size = bytes > CHUNK ? bytes : CHUNK;

    if (chunk && chunk->size - chunk->used >= bytes)
        return chunk;
    chunk = mem_zalloc(sizeof(*chunk) + size);
    if (!chunk) {
        arena->failed = 1;
        return NULL;
    }
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *arena_take(struct arena *arena, size_t count, size_t size)
{
    struct chunk *chunk;
    size_t bytes;

    if (size > 0 && count > (SIZE_MAX - 32 - sizeof(*chunk)) / size) {
        arena->failed = 1;
        return NULL;
    }
    bytes = (count * size + 15) & ~(size_t)15;
    chunk = chunk_with(arena, bytes > 0 ? bytes : 16);
    if (!chunk)
        return NULL;
    chunk->used += bytes > 0 ? bytes : 16;
    return chunk->bytes + chunk->used - (bytes > 0 ? bytes : 16);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1, 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *arena_print(struct arena *arena, const char *format, ...)
{
    va_list args, again;
    int length;
    char *text = NULL;

    va_start(args, format);
    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    if (length >= 0)
        text = arena_take(arena, (size_t)length + 1, 1);
    if (text)
        (void)vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

int arena_failed(const struct arena *arena)
{
    return arena->failed;
}
