/* own.c - see own.h. */
#include "probe/own.h"

#include <sys/mman.h>

#include "probe/raw.h"
#include "probe/regions.h"

#define AREAS_MAX 1024 /* what comes later is counted, and only its bytes are known */

struct area {
    uintptr_t start, end;
};

static struct area areas[AREAS_MAX]; /* entries below `count`, some perhaps not filled yet */
static uint32_t count;               /* atomic */
static uint64_t bytes_taken;         /* atomic */

void *own_map(size_t bytes)
{
    void *memory = raw_map(bytes);
    uint32_t index;

    if (!memory)
        return NULL;
    if (madvise(memory, bytes, MADV_WIPEONFORK) != 0) {
        (void)syscall(SYS_munmap, memory, bytes);
        return NULL;
    }
    (void)__atomic_add_fetch(&bytes_taken, bytes, __ATOMIC_RELAXED);
    index = __atomic_fetch_add(&count, 1, __ATOMIC_ACQ_REL);
    if (index < AREAS_MAX) {
        areas[index].end = (uintptr_t)memory + bytes;
        __atomic_store_n(&areas[index].start, (uintptr_t)memory, __ATOMIC_RELEASE);
    }
    return memory;
}

uint64_t own_bytes(void)
{
    return __atomic_load_n(&bytes_taken, __ATOMIC_RELAXED);
}

uint64_t own_resident(void)
{
    const uint32_t known = __atomic_load_n(&count, __ATOMIC_ACQUIRE);
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < known && i < AREAS_MAX; i++) {
        const uintptr_t start = __atomic_load_n(&areas[i].start, __ATOMIC_ACQUIRE);

        if (start)
            bytes += regions_resident(start, areas[i].end);
    }
    return bytes;
}
