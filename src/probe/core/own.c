/* own.c - see own.h. */
#include "probe/core/own.h"

#include <sys/mman.h>

#include "probe/core/raw.h"

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

bool own_area(uint32_t number, uintptr_t *start, uintptr_t *end)
{
    if (number >= __atomic_load_n(&count, __ATOMIC_ACQUIRE) || number >= AREAS_MAX)
        return false;
    *start = __atomic_load_n(&areas[number].start, __ATOMIC_ACQUIRE);
    *end = areas[number].end;
    return true;
}
