/* heap_walk_pure.h - the chunks of glibc's heap, found by their headers.
 *
 * A chunk is a word for its neighbour, a word with its size and three flags, then the block. Walking
 * from the right first chunk, sizes lead exactly to the end of the region. Nothing is taken from the
 * allocator but that layout, which the probe has tested at its start; what does not add up is left
 * alone.
 */
#ifndef TARE_PROBE_HEAP_WALK_PURE_H
#define TARE_PROBE_HEAP_WALK_PURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk {
    uintptr_t start, end; /* of the block handed out */
};

/* Called for each chunk in use, in order of address. */
typedef void chunk_fn(const struct chunk *chunk, void *context);

/* Walks the region [start, end), which must be readable. False: it is not a heap of at least
 * `least` chunks. With NULL as `fn` it only checks that. */
bool heap_walk(uintptr_t start, uintptr_t end, unsigned least, chunk_fn *fn, void *context);

/* Whether a chunk with a mapping of its own (a large block) begins at this page. */
bool heap_mapped_chunk(uintptr_t at, uintptr_t end, struct chunk *chunk);

#endif /* TARE_PROBE_HEAP_WALK_PURE_H */
