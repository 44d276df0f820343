/* standin_driver.c - NVIDIA's driver and AMD's, without a device: the entry points of memory, with exact
 * books.
 *
 * It is not the real one: it has the same names and arguments, and gives out addresses of no memory, so
 * that whoever reads one crashes. A handle is the address of a block of the heap, as the real driver's
 * are. Built as libcuda.so.1, and with -DHIP as libamdhip64.so.6.
 *
 *     standin_used(device)     bytes taken        standin_pinned()       bytes of the host
 *     standin_blocks()         blocks taken       standin_calls(name)    calls of this function
 *     standin_limit(bytes)     what each device has
 *
 * NVIDIA's functions want a current context, as the real ones do; whoever asks before cuInit is refused.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES      4
#define BLOCKS       65536
#define NO_CONTEXT   201
#define NOT_READY    3
#define BAD_VALUE    1
#define NO_MEMORY    2
#define NOT_FOUND    500
#define PAGE         (2ull << 20)
#define OUT          __attribute__((visibility("default")))

enum what { FREE, MEMORY, HANDLE, MAPPING, PINNED };

struct block {
    uint64_t address, bytes, owner; /* of memory its context, of a mapping its handle */
    enum what what;
    int device, holders;
};

struct context {
    int device;
};

static struct block blocks[BLOCKS];
static unsigned most_used; /* blocks at and above were never used */
static uint64_t next_address = 0x300000000, used[DEVICES], pinned, block_count, limit = 1ull << 40;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static struct context primary[DEVICES] = {{0}, {1}, {2}, {3}};
static __thread struct context *current;

static struct { const char *name; unsigned count; } calls[128];

static void count_call(const char *name)
{
    for (unsigned i = 0; i < 128; i++) {
        if (!calls[i].name)
            calls[i].name = name;
        if (strcmp(calls[i].name, name) == 0) {
            __atomic_add_fetch(&calls[i].count, 1, __ATOMIC_RELAXED);
            return;
        }
    }
}

/* ---- the books ---- */

static struct block *find(uint64_t address, enum what what)
{
    for (unsigned i = 0; i < most_used; i++)
        if (blocks[i].what == what && blocks[i].address == address)
            return &blocks[i];
    return NULL;
}

static struct block *new_block(enum what what, uint64_t address, uint64_t bytes, int device)
{
    unsigned i = 0;

    while (i < BLOCKS && blocks[i].what != FREE)
        i++;
    if (i == BLOCKS)
        abort();
    most_used = i >= most_used ? i + 1 : most_used;
    blocks[i] = (struct block){
        .address = address, .bytes = bytes, .what = what, .device = device, .holders = 1};
    if (what == MEMORY || what == HANDLE) {
        used[device] += bytes;
        block_count++;
    }
    if (what == PINNED)
        pinned += bytes;
    return &blocks[i];
}

static void drop(struct block *block)
{
    if (block->what == MEMORY || block->what == HANDLE) {
        used[block->device] -= block->bytes;
        block_count--;
    }
    if (block->what == PINNED)
        pinned -= block->bytes;
    block->what = FREE;
}

static uint64_t new_address(uint64_t bytes)
{
    const uint64_t step = bytes >= PAGE ? PAGE : 512, at = (next_address + step - 1) & ~(step - 1);

    next_address = at + ((bytes + 511) & ~511ull);
    return at;
}

/* The device of the calling thread; below 0: there is none. */
static int here(void)
{
#ifdef HIP
    if (!current)
        current = &primary[0];
    ready = true;
#endif
    return ready && current ? current->device : -1;
}

static int take(uint64_t *out, uint64_t bytes)
{
    const int device = here();
    int result = 0;

    if (device < 0)
        return ready ? NO_CONTEXT : NOT_READY;
    if (bytes == 0)
        return BAD_VALUE;
    pthread_mutex_lock(&lock);
    if (used[device] + bytes > limit)
        result = NO_MEMORY;
    else
        *out = new_block(MEMORY, new_address(bytes), bytes, device)->address;
    if (result == 0)
        find(*out, MEMORY)->owner = (uint64_t)(uintptr_t)current;
    pthread_mutex_unlock(&lock);
    return result;
}

static int take_rows(uint64_t *out, size_t *pitch, size_t width, size_t rows)
{
    *pitch = (width + 511) & ~(size_t)511;
    return take(out, *pitch * rows);
}

static int give(uint64_t address, enum what what)
{
    struct block *block;

    if (address == 0)
        return 0;
    pthread_mutex_lock(&lock);
    block = find(address, what);
    if (block)
        drop(block);
    pthread_mutex_unlock(&lock);
    return block ? 0 : BAD_VALUE;
}

struct placement {
    int type, exported, place, number;
};

static int create(uint64_t *out, size_t bytes, const struct placement *place)
{
    int result = 0;

    pthread_mutex_lock(&lock);
    if (place->place == 1 && used[place->number] + bytes > limit)
        result = NO_MEMORY;
    else
        *out = new_block(place->place == 1 ? HANDLE : PINNED, (uint64_t)(uintptr_t)malloc(64), bytes,
                         place->number)->address;
    pthread_mutex_unlock(&lock);
    return result;
}

static struct block *handle_of(uint64_t handle)
{
    struct block *block = find(handle, HANDLE);

    return block ? block : find(handle, PINNED);
}

static int let_go(uint64_t handle)
{
    struct block *block = handle_of(handle);

    if (!block)
        return BAD_VALUE;
    if (--block->holders == 0) {
        free((void *)(uintptr_t)handle);
        drop(block);
    }
    return 0;
}

static int release(uint64_t handle)
{
    int result;

    pthread_mutex_lock(&lock);
    result = let_go(handle);
    pthread_mutex_unlock(&lock);
    return result;
}

static int map(uint64_t address, size_t bytes, uint64_t handle)
{
    pthread_mutex_lock(&lock);
    handle_of(handle)->holders++;
    new_block(MAPPING, address, bytes, 0)->owner = handle;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int unmap(uint64_t address, size_t bytes)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < most_used; i++)
        if (blocks[i].what == MAPPING && blocks[i].address - address < bytes) {
            (void)let_go(blocks[i].owner);
            drop(&blocks[i]);
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* The handle that is mapped here. */
static int retain(uint64_t *out, uint64_t address)
{
    struct block *mapping;

    pthread_mutex_lock(&lock);
    mapping = find(address, MAPPING);
    if (mapping) {
        *out = mapping->owner;
        handle_of(*out)->holders++;
    }
    pthread_mutex_unlock(&lock);
    return mapping ? 0 : BAD_VALUE;
}

static int pin(void **out, size_t bytes)
{
    pthread_mutex_lock(&lock);
    *out = (void *)(uintptr_t)new_block(PINNED, new_address(bytes), bytes, 0)->address;
    pthread_mutex_unlock(&lock);
    return 0;
}

static int pin_here(void *at, size_t bytes)
{
    pthread_mutex_lock(&lock);
    new_block(PINNED, (uint64_t)(uintptr_t)at, bytes, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}

static void drop_all(const struct context *context)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < most_used; i++)
        if (blocks[i].what == MEMORY && blocks[i].owner == (uint64_t)(uintptr_t)context)
            drop(&blocks[i]);
    pthread_mutex_unlock(&lock);
}

static int tell_memory(size_t *free_bytes, size_t *all)
{
    const int device = here();

    if (device < 0)
        return NO_CONTEXT;
    *free_bytes = limit - used[device];
    *all = limit;
    return 0;
}

/* ---- the entry points ---- */

struct entry {
    const char *name;
    void *function;
};

/* The library's own function, whoever else has its name. Its section is a table of all. */
#define ENTRY(name, arguments, ...) \
    static int name##_own arguments \
    { \
        count_call(#name); \
        __VA_ARGS__; \
    } \
    OUT int name arguments __attribute__((alias(#name "_own"))); \
    static const struct entry name##_entry __attribute__((used, section("entries"))) = { \
        #name, (void *)name##_own};

extern const struct entry __start_entries[], __stop_entries[];

static void *entry_named(const char *name, const char *suffix)
{
    char full[64];

    snprintf(full, sizeof(full), "%s%s", name, suffix);
    for (const struct entry *entry = __start_entries; entry < __stop_entries; entry++)
        if (strcmp(entry->name, full) == 0)
            return entry->function;
    return NULL;
}

static int find_entry(const char *name, void **out, int version, uint64_t flags);

#ifndef HIP
#define TAKE uint64_t *out, size_t bytes
ENTRY(cuInit, (unsigned flags), (void)flags; ready = true; return 0)
ENTRY(cuCtxCreate_v2, (struct context **out, unsigned flags, int device), (void)flags;
      if (!ready) return NOT_READY; *out = malloc(sizeof(**out)); (*out)->device = device; current = *out;
      return 0)
ENTRY(cuCtxDestroy_v2, (struct context *context), drop_all(context); current = NULL; free(context);
      return 0)
ENTRY(cuDevicePrimaryCtxRetain, (struct context **out, int device), *out = &primary[device]; return 0)
ENTRY(cuDevicePrimaryCtxReset_v2, (int device), drop_all(&primary[device]); return 0)
ENTRY(cuCtxSetCurrent, (struct context *context), current = context; return 0)
ENTRY(cuCtxGetCurrent, (struct context **out), *out = current; return 0)
ENTRY(cuCtxGetDevice, (int *out), *out = here(); return *out < 0 ? NO_CONTEXT : 0)
ENTRY(cuMemGetInfo_v2, (size_t *free_bytes, size_t *all), return tell_memory(free_bytes, all))
/* The function of 2009, with addresses of 32 bits. */
ENTRY(cuMemAlloc, (uint32_t *out, uint32_t bytes), *out = bytes; return 0)
ENTRY(cuMemAlloc_v2, (TAKE), return take(out, bytes))
ENTRY(cuMemAllocPitch_v2, (uint64_t *out, size_t *pitch, size_t width, size_t rows, unsigned element),
      (void)element; return take_rows(out, pitch, width, rows))
ENTRY(cuMemAllocManaged, (TAKE, unsigned flags), (void)flags; return take(out, bytes))
ENTRY(cuMemAllocAsync, (TAKE, void *stream), (void)stream; return take(out, bytes))
ENTRY(cuMemAllocAsync_ptsz, (TAKE, void *stream), (void)stream; return take(out, bytes))
ENTRY(cuMemAllocFromPoolAsync, (TAKE, void *pool, void *stream), (void)pool; (void)stream;
      return take(out, bytes))
ENTRY(cuMemAllocFromPoolAsync_ptsz, (TAKE, void *pool, void *stream), (void)pool; (void)stream;
      return take(out, bytes))
ENTRY(cuMemFree_v2, (uint64_t address), return give(address, MEMORY))
ENTRY(cuMemFreeAsync, (uint64_t address, void *stream), (void)stream; return give(address, MEMORY))
ENTRY(cuMemFreeAsync_ptsz, (uint64_t address, void *stream), (void)stream; return give(address, MEMORY))
ENTRY(cuMemCreate, (uint64_t *out, size_t bytes, const struct placement *place, uint64_t flags),
      (void)flags;
      return create(out, bytes, place))
ENTRY(cuMemRelease, (uint64_t handle), return release(handle))
ENTRY(cuMemRetainAllocationHandle, (uint64_t *out, uint64_t address), return retain(out, address))
ENTRY(cuMemMap, (uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags),
      (void)offset;
      (void)flags; return map(address, bytes, handle))
ENTRY(cuMemUnmap, (uint64_t address, size_t bytes), return unmap(address, bytes))
ENTRY(cuMemAllocHost_v2, (void **out, size_t bytes), return pin(out, bytes))
ENTRY(cuMemHostAlloc, (void **out, size_t bytes, unsigned flags), (void)flags; return pin(out, bytes))
ENTRY(cuMemHostRegister, (void *at, size_t bytes, unsigned flags), (void)flags; return pin_here(at,
      bytes))
ENTRY(cuMemHostRegister_v2, (void *at, size_t bytes, unsigned flags), (void)flags; return pin_here(at,
      bytes))
ENTRY(cuMemFreeHost, (uint64_t address), return give(address, PINNED))
ENTRY(cuMemHostUnregister, (uint64_t address), return give(address, PINNED))

ENTRY(cuGetProcAddress, (const char *name, void **out, int version, uint64_t flags),
      return find_entry(name, out, version, flags))

ENTRY(cuGetProcAddress_v2, (const char *name, void **out, int version, uint64_t flags, int *status),
      const int result = find_entry(name, out, version, flags);
      if (status) *status = result != 0; return result)

/* A third version of a function, which no library exports. */
static int alloc_async_v3(uint64_t *out, size_t bytes, void *stream)
{
    (void)stream;
    count_call("alloc_async_v3");
    return take(out, bytes);
}
#else
#define TAKE uint64_t *out, size_t bytes
ENTRY(hipSetDevice, (int device), current = &primary[device]; return 0)
ENTRY(hipGetDevice, (int *out), *out = here(); return 0)
ENTRY(hipMemGetInfo, (size_t *free_bytes, size_t *all), return tell_memory(free_bytes, all))
ENTRY(hipDeviceReset, (void), (void)here(); drop_all(current); return 0)
ENTRY(hipMalloc, (TAKE), return take(out, bytes))
ENTRY(hipExtMallocWithFlags, (TAKE, unsigned flags), (void)flags; return take(out, bytes))
ENTRY(hipMallocPitch, (uint64_t *out, size_t *pitch, size_t width, size_t rows),
      return take_rows(out, pitch, width, rows))
ENTRY(hipMallocManaged, (TAKE, unsigned flags), (void)flags; return take(out, bytes))
ENTRY(hipMallocAsync, (TAKE, void *stream), (void)stream; return take(out, bytes))
ENTRY(hipMallocAsync_spt, (TAKE, void *stream), (void)stream; return take(out, bytes))
ENTRY(hipMallocFromPoolAsync, (TAKE, void *pool, void *stream), (void)pool; (void)stream;
      return take(out, bytes))
ENTRY(hipMallocFromPoolAsync_spt, (TAKE, void *pool, void *stream), (void)pool; (void)stream;
      return take(out, bytes))
ENTRY(hipFree, (uint64_t address), return give(address, MEMORY))
ENTRY(hipFreeAsync, (uint64_t address, void *stream), (void)stream; return give(address, MEMORY))
ENTRY(hipFreeAsync_spt, (uint64_t address, void *stream), (void)stream; return give(address, MEMORY))
ENTRY(hipMemCreate, (uint64_t *out, size_t bytes, const struct placement *place, uint64_t flags),
      (void)flags;
      return create(out, bytes, place))
ENTRY(hipMemRelease, (uint64_t handle), return release(handle))
ENTRY(hipMemRetainAllocationHandle, (uint64_t *out, uint64_t address), return retain(out, address))
ENTRY(hipMemMap, (uint64_t address, size_t bytes, size_t offset, uint64_t handle, uint64_t flags),
      (void)offset;
      (void)flags; return map(address, bytes, handle))
ENTRY(hipMemUnmap, (uint64_t address, size_t bytes), return unmap(address, bytes))
ENTRY(hipMallocHost, (void **out, size_t bytes), return pin(out, bytes))
ENTRY(hipMemAllocHost, (void **out, size_t bytes), return pin(out, bytes))
ENTRY(hipHostMalloc, (void **out, size_t bytes, unsigned flags), (void)flags; return pin(out, bytes))
ENTRY(hipHostAlloc, (void **out, size_t bytes, unsigned flags), (void)flags; return pin(out, bytes))
ENTRY(hipHostRegister, (void *at, size_t bytes, unsigned flags), (void)flags; return pin_here(at, bytes))
ENTRY(hipFreeHost, (uint64_t address), return give(address, PINNED))
ENTRY(hipHostFree, (uint64_t address), return give(address, PINNED))
ENTRY(hipHostUnregister, (uint64_t address), return give(address, PINNED))

ENTRY(hipGetProcAddress, (const char *name, void **out, int version, uint64_t flags, int *status),
      if (status) *status = 0; return find_entry(name, out, version, flags))
#endif

/* By the name without what its version adds, as the real ones do. 2 in the flags: the default stream is
 * that of the thread. */
static int find_entry(const char *name, void **out, int version, uint64_t flags)
{
    static const char suffixes[][8] = {"_ptsz", "_spt", "_v2", ""};

    *out = NULL;
#ifndef HIP
    if (version >= 14000 && strcmp(name, "cuMemAllocAsync") == 0)
        *out = (void *)alloc_async_v3;
    if (version >= 12000 && strcmp(name, "cuGetProcAddress") == 0)
        *out = (void *)cuGetProcAddress_v2_own;
#endif
    for (int i = version < 3020 ? 3 : flags & 2 ? 0 : 2; i < 4 && !*out; i++)
        *out = entry_named(name, suffixes[i]);
    return *out ? 0 : NOT_FOUND;
}

OUT uint64_t standin_used(int device)
{
    return used[device];
}

OUT uint64_t standin_blocks(void)
{
    return block_count;
}

OUT uint64_t standin_pinned(void)
{
    return pinned;
}

OUT void standin_limit(uint64_t bytes)
{
    limit = bytes;
}

OUT unsigned standin_calls(const char *name)
{
    for (unsigned i = 0; i < 128 && calls[i].name; i++)
        if (strcmp(calls[i].name, name) == 0)
            return calls[i].count;
    return 0;
}
