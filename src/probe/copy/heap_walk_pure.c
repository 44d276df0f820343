/* heap_walk_pure.c - see heap_walk_pure.h. */
#include "probe/copy/heap_walk_pure.h"

#define FLAGS 7ul
#define PREVIOUS_IN_USE 1ul
#define MAPPED 2ul
#define CHUNK_MIN 32
#define FIRST_WITHIN 4096 /* an arena's own record lies before its first chunk */
#define PAGE 4096

static size_t word(uintptr_t address)
{
    return *(const size_t *)address;
}

static size_t size_at(uintptr_t chunk)
{
    return word(chunk + sizeof(size_t)) & ~FLAGS;
}

static bool plausible(uintptr_t chunk, uintptr_t end)
{
    const size_t size = size_at(chunk);

    return size >= CHUNK_MIN && size % 16 == 0 && size <= end - chunk &&
           !(word(chunk + sizeof(size_t)) & MAPPED);
}

/* True when sizes lead from here to the end, or to the last chunk, which the end cuts off. */
static bool leads_to_end(uintptr_t chunk, uintptr_t end, unsigned least)
{
    unsigned steps = 0;

    while (end - chunk >= CHUNK_MIN) {
        if (size_at(chunk) == 16 && end - chunk <= 2 * CHUNK_MIN)
            return steps >= least; /* the fence at the end of an arena's full heap */
        if (!plausible(chunk, end))
            return false;
        chunk += size_at(chunk);
        steps++;
    }
    return chunk == end && steps >= least;
}

static uintptr_t first_chunk(uintptr_t start, uintptr_t end, unsigned least)
{
    const uintptr_t limit = end - start > FIRST_WITHIN ? start + FIRST_WITHIN : end;

    for (uintptr_t at = start; at + CHUNK_MIN <= limit; at += 16)
        if (plausible(at, end) && leads_to_end(at, end, least))
            return at;
    return 0;
}

bool heap_walk(uintptr_t start, uintptr_t end, unsigned least, chunk_fn *fn, void *context)
{
    uintptr_t at = end - start >= CHUNK_MIN ? first_chunk(start, end, least) : 0;

    if (!at)
        return false;
    while (fn && end - at >= CHUNK_MIN && size_at(at) >= CHUNK_MIN) {
        const uintptr_t next = at + size_at(at);
        /* The next chunk's header shows whether a chunk is in use; the last chunk is the
         * wilderness. */
        const bool used = next < end && (word(next + sizeof(size_t)) & PREVIOUS_IN_USE);
        const struct chunk chunk = {at + 16, next + sizeof(size_t)};

        if (used)
            fn(&chunk, context);
        at = next;
    }
    return true;
}

bool heap_mapped_chunk(uintptr_t at, uintptr_t end, struct chunk *chunk)
{
    const size_t head = word(at + sizeof(size_t)), size = head & ~FLAGS;

    if ((head & FLAGS) != MAPPED || size == 0 || size % PAGE != 0 || size > end - at ||
        word(at) != 0)
        return false;
    *chunk = (struct chunk){at + 16, at + size};
    return true;
}
