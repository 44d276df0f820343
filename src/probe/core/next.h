/* next.h - the allocator that the program would call without us. */
#ifndef TARE_PROBE_NEXT_H
#define TARE_PROBE_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
    size_t (*usable)(void *block);
    int (*trim)(size_t pad); /* NULL: this allocator has none */
    bool header; /* atomic: usable sizes can be read from glibc's chunk header (next_compare) */
    const char *path;        /* object that holds malloc; "" when unknown */
    uintptr_t start, end;    /* where that object is mapped; mappings it makes are its own heap */
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

/* The same from the header of a chunk of glibc's heap: its size and flags. Bit 1: a chunk of its own
 * mapping, whose two words of overhead are not shared. */
static inline size_t next_header_usable(const void *block)
{
    const size_t head = ((const size_t *)block)[-1];

    return (head & ~(size_t)7) - sizeof(size_t) - ((head & 2) << 2);
}

/* glibc keeps a block's size in the word before it. That is trusted after some blocks of the program have
 * shown it: blocks of our own would change the heap for the program. Call for each block until it
 * returns true: from then on `header` is set. */
bool next_compare(void *block);

/* The allocator is glibc's, and no block has shown otherwise: also of a program that has made too few to
 * be sure. */
bool next_may_have_headers(void);

/* Usable size of a block of the next allocator. */
static inline size_t next_usable(void *block)
{
    return __builtin_expect(next.header, 1) ? next_header_usable(block) : next.usable(block);
}

#endif /* TARE_PROBE_NEXT_H */
