/* next.c - see next.h. */
#include "probe/core/next.h"

#include <link.h>
#include <string.h>

#include "probe/core/filter.h"
#include "probe/core/find_object.h"
#include "probe/core/symbol.h"

#define EARLY_BYTES (32 * 1024)

static _Alignas(64) unsigned char early[EARLY_BYTES];
static size_t early_used;
static int resolving; /* 1: in progress, 2: done */

/* ---- before anything is resolved ---- */

bool next_is_early(const void *block)
{
    const uintptr_t at = (uintptr_t)block - (uintptr_t)early;

    return at < EARLY_BYTES;
}

/* Each block is preceded by its size. */
void *next_early(size_t alignment, size_t size)
{
    const size_t align = alignment < 16 ? 16 : alignment;
    const size_t want = size + align + 16;
    size_t at;

    if (size > EARLY_BYTES || align > 4096)
        return NULL;
    at = __atomic_fetch_add(&early_used, (want + 15) & ~(size_t)15, __ATOMIC_RELAXED);
    if (at + want > EARLY_BYTES)
        return NULL;
    at = (((uintptr_t)early + at + 16 + align - 1) & ~(uintptr_t)(align - 1)) - (uintptr_t)early;
    memcpy(early + at - sizeof(size), &size, sizeof(size));
    return early + at;
}

size_t next_early_size(const void *block)
{
    size_t size;

    memcpy(&size, (const unsigned char *)block - sizeof(size), sizeof(size));
    return size;
}

void next_hold_early(void)
{
    if (__atomic_load_n(&early_used, __ATOMIC_RELAXED) > 0)
        filter_hold(early, sizeof(early));
}

static void *first_malloc(size_t size)
{
    next_resolve();
    return next.malloc == first_malloc ? next_early(16, size) : next.malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
    next_resolve();
    if (next.calloc != first_calloc)
        return next.calloc(count, size);
    return size && count > EARLY_BYTES / size ? NULL : next_early(16, count * size);
}

static void *first_realloc(void *block, size_t size)
{
    next_resolve();
    return next.realloc == first_realloc ? NULL : next.realloc(block, size);
}

static void first_free(void *block)
{
    next_resolve();
    if (next.free != first_free)
        next.free(block);
}

struct next next = {.malloc = first_malloc,
                    .calloc = first_calloc,
                    .realloc = first_realloc,
                    .free = first_free,
                    .path = ""};

/* ---- resolving ---- */

#define COMPARED 4 /* blocks that must agree; one that does not decides */

static bool is_glibc;    /* the next allocator */
static bool disagreed;   /* atomic: a block did */
static uint32_t agreed;  /* atomic: blocks that did */

bool next_may_have_headers(void)
{
    return is_glibc && !__atomic_load_n(&disagreed, __ATOMIC_RELAXED);
}

bool next_compare(void *block)
{
    if (!next_may_have_headers())
        return false;
    if (next.usable(block) != next_header_usable(block))
        __atomic_store_n(&disagreed, true, __ATOMIC_RELAXED);
    else if (__atomic_add_fetch(&agreed, 1, __ATOMIC_RELAXED) >= COMPARED)
        __atomic_store_n(&next.header, true, __ATOMIC_RELEASE);
    return __atomic_load_n(&next.header, __ATOMIC_ACQUIRE);
}

static void find_home(struct next *n)
{
    struct found_object home;
    void *address;

    memcpy(&address, &n->malloc, sizeof(address));
    if (!find_object(address, &home))
        return;
    n->start = home.start;
    n->end = home.end;
    n->path = home.path;
}

void next_resolve(void)
{
    struct next found = next;

    if (__atomic_load_n(&resolving, __ATOMIC_ACQUIRE) != 0)
        return;
    __atomic_store_n(&resolving, 1, __ATOMIC_RELEASE);
    (void)symbol_find(RTLD_NEXT, "malloc", &found.malloc);
    (void)symbol_find(RTLD_NEXT, "free", &found.free);
    (void)symbol_find(RTLD_NEXT, "calloc", &found.calloc);
    (void)symbol_find(RTLD_NEXT, "realloc", &found.realloc);
    (void)symbol_find(RTLD_NEXT, "posix_memalign", &found.posix_memalign);
    (void)symbol_find(RTLD_NEXT, "aligned_alloc", &found.aligned_alloc);
    (void)symbol_find(RTLD_NEXT, "memalign", &found.memalign);
    (void)symbol_find(RTLD_NEXT, "valloc", &found.valloc);
    (void)symbol_find(RTLD_NEXT, "pvalloc", &found.pvalloc);
    (void)symbol_find(RTLD_NEXT, "malloc_usable_size", &found.usable);
    find_home(&found);
    /* malloc_trim of glibc knows nothing of another allocator's heap. */
    if (strstr(found.path, "libc.so") || strstr(found.path, "libc-"))
        (void)symbol_find(RTLD_NEXT, "malloc_trim", &found.trim);
    is_glibc = found.trim && found.usable;
    next = found;
    __atomic_store_n(&resolving, 2, __ATOMIC_RELEASE);
}
