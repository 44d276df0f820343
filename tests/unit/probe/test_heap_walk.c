/* test_heap_walk.c - heaps made by hand, as glibc lays them out, and what only looks like one. */
#include "probe/copy/heap_walk_pure.h"
#include "test.h"

#define WORDS 1024

struct seen {
    size_t count;
    uintptr_t first;
    size_t bytes;
};

static void note(const struct chunk *chunk, void *context)
{
    struct seen *seen = context;

    if (seen->count++ == 0)
        seen->first = chunk->start;
    seen->bytes += chunk->end - chunk->start;
}

/* Lays chunks of these sizes one behind the other; the rest is the wilderness. Bit 0 of a size says
 * that the chunk before it is in use. */
static void lay(size_t *heap, const size_t *sizes, size_t count)
{
    size_t at = 0;

    memset(heap, 0, WORDS * sizeof(*heap));
    for (size_t i = 0; i < count; i++) {
        heap[at + 1] = sizes[i];
        at += (sizes[i] & ~(size_t)7) / sizeof(*heap);
    }
    heap[at + 1] = (WORDS - at) * sizeof(*heap) | 1;
}

static bool walk(const size_t *heap, struct seen *seen)
{
    *seen = (struct seen){0};
    return heap_walk((uintptr_t)heap, (uintptr_t)(heap + WORDS), 2, note, seen);
}

TEST(heap_walk_tells_used_chunks_from_free_ones)
{
    static _Alignas(16) size_t heap[WORDS];
    struct seen seen;

    lay(heap, (const size_t[]){64 | 1, 96 | 1, 32 | 0, 48 | 1}, 4); /* the second is free */
    CHECK(walk(heap, &seen));
    CHECK_EQ(seen.count, 3);
    CHECK_EQ(seen.first, (uintptr_t)heap + 16);
    CHECK_EQ(seen.bytes, 64 - 8 + 32 - 8 + 48 - 8);
}

TEST(heap_walk_finds_the_first_chunk_behind_an_arenas_record)
{
    static _Alignas(16) size_t heap[WORDS];
    struct seen seen;

    lay(heap, (const size_t[]){64 | 1, 96 | 1}, 2);
    memmove(heap + 20, heap, (WORDS - 20) * sizeof(*heap));
    memset(heap, 0x11, 20 * sizeof(*heap));
    heap[20 + 160 / 8 + 1] = (WORDS - 40) * sizeof(*heap) | 1;
    CHECK(walk(heap, &seen));
    CHECK_EQ(seen.first, (uintptr_t)(heap + 20) + 16);
}

TEST(heap_walk_refuses_what_does_not_add_up)
{
    static _Alignas(16) size_t heap[WORDS];
    struct seen seen;

    memset(heap, 0, sizeof(heap));
    CHECK(!walk(heap, &seen));
    memset(heap, 0xff, sizeof(heap));
    CHECK(!walk(heap, &seen));
    lay(heap, (const size_t[]){64 | 1, 96 | 1}, 2);
    heap[64 / 8 + 1] = 104 | 1; /* not a multiple of 16 */
    CHECK(!walk(heap, &seen));
    heap[64 / 8 + 1] = (WORDS * 8 + 16) | 1; /* beyond the end */
    CHECK(!walk(heap, &seen));
    CHECK_EQ(seen.count, 0);
}

TEST(heap_walk_knows_chunks_with_a_mapping_of_their_own)
{
    static _Alignas(4096) size_t page[2 * 512];
    const uintptr_t start = (uintptr_t)page, end = start + sizeof(page);
    struct chunk chunk;

    page[1] = 8192 | 2;
    CHECK(heap_mapped_chunk(start, end, &chunk));
    CHECK_EQ(chunk.end, end);
    page[1] = 8192 | 3; /* no chunk lies before a mapping */
    CHECK(!heap_mapped_chunk(start, end, &chunk));
    page[1] = 12288 | 2;
    CHECK(!heap_mapped_chunk(start, end, &chunk));
    page[1] = 4100 | 2;
    CHECK(!heap_mapped_chunk(start, end, &chunk));
}
