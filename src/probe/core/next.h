/* next.h - the allocator that the program would call without us. */
#ifndef TARE_PROBE_NEXT_H
#define TARE_PROBE_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The functions of that allocator, and what is known of it. */
struct next {
    void *(*malloc)(size_t size);
    void (*free)(void *block);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    int (*posix_memalign)(void **out, size_t alignment, size_t size);
    void *(*aligned_alloc)(size_t alignment, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    void *(*valloc)(size_t size);
    void *(*pvalloc)(size_t size);
    size_t (*usable)(void *block); /* malloc_usable_size */
    int (*trim)(size_t pad); /* malloc_trim; NULL: this allocator has none */
    bool header;     /* atomic: usable sizes can be read from glibc's chunk header (next_compare) */
    const char *path; /* path of the object that has malloc; "": not known */
    uintptr_t start; /* lowest address of that object; mappings that its code makes are the heap's */
    uintptr_t end;   /* address after its last segment */
};

extern struct next next; /* complete after next_resolve() */

/* Finds everything; safe to call again. Until it has returned, requests are served from a small
 * static area, because finding a symbol may itself allocate. */
void next_resolve(void);

/* True for a block of that static area: it is never released. */
bool next_is_early(const void *block);
void *next_early(size_t alignment, size_t size); /* NULL: the area is used up */
size_t next_early_size(const void *block);
/* From now on, free() asks about such blocks. Again in a forked child: the filter is wiped there. */
void next_hold_early(void);

/* Usable size of a block of glibc's heap, from the header of its chunk, which has size and flags. Bit 1:
 * the chunk has a mapping of its own, and both words of its header are overhead. */
static inline size_t next_header_usable(const void *block)
{
    const size_t head = ((const size_t *)block)[-1];

    return (head & ~(size_t)7) - sizeof(size_t) - ((head & 2) << 2);
}

/* glibc keeps a block's size in the word before it. That is trusted after some blocks of the program have
 * shown it: blocks of our own would change the heap for the program. Call for each block until it
 * returns true: from then on `header` is set. */
bool next_compare(void *block);

/* Is the allocator glibc's, with no block that shows otherwise? True also while too few blocks were
 * compared to be sure. */
bool next_may_have_headers(void);

/* Usable size of a block of the next allocator. */
static inline size_t next_usable(void *block)
{
    return __builtin_expect(next.header, 1) ? next_header_usable(block) : next.usable(block);
}

#endif /* TARE_PROBE_NEXT_H */
