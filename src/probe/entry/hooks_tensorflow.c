/* hooks_tensorflow.c - TensorFlow's own pool of memory for large tensors, in Python and in Node.
 *
 * The methods are virtual, but the tables that hold them are filled by the loader by name, so that
 * ours come first. The original is taken from the same library that holds the object's table,
 * because two versions of the class may be in one process. The probe searches that library's own
 * symbol table without the loader's lock, because a framework may hold any lock when it calls us.
 *
 * Counted is what the pool itself counts as in use: the size of the piece handed out, which is the
 * size asked for rounded up, so that both agree to the byte.
 */
#include "probe/entry/hooks.h"

#include <link.h>
#include <string.h>

#include "probe/core/brief_lock.h"
#include "probe/core/elf_symbol.h"
#include "probe/core/export.h"
#include "probe/core/self_memory.h"
#include "probe/core/thread.h"
#include "probe/entry/life.h"
#include "probe/record/pool.h"
#include "probe/unwind/module_place.h"

#define LIBRARIES_MAX 8
#define LOCK_TRIES 4096
#define FRAME __builtin_frame_address(0)

/* The Itanium mangling of class and methods, by the namespace that the class lies in. */
#define ALLOCATE(space) "_ZN" space "12BFCAllocator11AllocateRawEmm"
#define ALLOCATE_WITH(space) ALLOCATE(space) "RKNS_20AllocationAttributesE"
#define DEALLOCATE(space) "_ZN" space "12BFCAllocator13DeallocateRawEPv"
#define SIZE_OF(space) "_ZNK" space "12BFCAllocator13AllocatedSizeEPKv"
#define SPACE_NOW "3tsl"           /* from 2.11 on */
#define SPACE_BEFORE "10tensorflow"

typedef void *allocate_fn(void *self, size_t alignment, size_t bytes);
typedef void *allocate_with_fn(void *self, size_t alignment, size_t bytes, const void *attributes);
typedef void deallocate_fn(void *self, void *block);
typedef size_t size_fn(const void *self, const void *block);

struct library {
    uintptr_t start, end; /* where it is mapped */
    allocate_fn *allocate;
    allocate_with_fn *allocate_with;
    deallocate_fn *deallocate;
    size_fn *size_of;
};

struct names {
    const char *allocate, *allocate_with, *deallocate, *size_of;
};

static const struct names names[] = {
    {ALLOCATE(SPACE_NOW), ALLOCATE_WITH(SPACE_NOW), DEALLOCATE(SPACE_NOW), SIZE_OF(SPACE_NOW)},
    {ALLOCATE(SPACE_BEFORE), ALLOCATE_WITH(SPACE_BEFORE), DEALLOCATE(SPACE_BEFORE),
     SIZE_OF(SPACE_BEFORE)},
};

static struct library libraries[LIBRARIES_MAX];
static uint32_t library_count; /* atomic: released by add, acquired by known */
static uint8_t adding;         /* atomic */

/* ---- the originals ---- */

/* ISO C has no conversion from an address to a function pointer; POSIX promises it. */
static bool take(void *to, const struct symbol_table *table, const char *name)
{
    const uintptr_t address = elf_symbol_find(table, name);

    memcpy(to, &address, sizeof(address));
    return address != 0;
}

static bool is_complete(const struct symbol_table *table, struct library *out)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (take(&out->allocate, table, names[i].allocate) &&
            take(&out->allocate_with, table, names[i].allocate_with) &&
            take(&out->deallocate, table, names[i].deallocate) &&
            take(&out->size_of, table, names[i].size_of))
            return true;
    return false;
}

static const struct library *known(uintptr_t address)
{
    const uint32_t count = __atomic_load_n(&library_count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < count; i++)
        if (address >= libraries[i].start && address < libraries[i].end)
            return &libraries[i];
    return NULL;
}

static const struct library *add(const struct library *library)
{
    const struct library *there;
    uint32_t count;

    if (!brief_lock(&adding, LOCK_TRIES))
        return NULL;
    there = known(library->start);
    count = library_count;
    if (!there && count < LIBRARIES_MAX) {
        libraries[count] = *library;
        there = &libraries[count];
        __atomic_store_n(&library_count, count + 1, __ATOMIC_RELEASE);
    }
    brief_unlock(&adding);
    return there;
}

/* The library that holds this address, if it defines the class. No lock. */
static const struct library *meet(uintptr_t address)
{
    struct module_place place;
    struct symbol_table table;
    struct library library;
    uintptr_t base, name;

    if (!module_place_find(address, &place) ||
        !module_place_describe(&place, self_copy_known, &base, &name) ||
        !elf_symbol_table_at(place.start, base, &table) || !is_complete(&table, &library))
        return NULL;
    library.start = place.start;
    library.end = place.end;
    return add(&library);
}

static int look_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
    const uintptr_t ours = (uintptr_t)&library_count;
    struct library library = {.start = UINTPTR_MAX, .end = 0};
    struct symbol_table table;

    (void)size;
    (void)data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        library.start = at < library.start ? at & ~4095ul : library.start;
        library.end = at + info->dlpi_phdr[i].p_memsz > library.end
                          ? at + info->dlpi_phdr[i].p_memsz
                          : library.end;
    }
    if ((ours < library.start || ours >= library.end) &&
        elf_symbol_table(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &table) &&
        is_complete(&table, &library))
        (void)add(&library);
    return 0;
}

bool hooks_tensorflow_resolve(void)
{
    (void)dl_iterate_phdr(look_in_module, NULL);
    return __atomic_load_n(&library_count, __ATOMIC_ACQUIRE) > 0;
}

/* A class derived from the pool's in yet another library has its table there. The loader's lock is
 * the last resort: without the original the program would have no memory. */
static __attribute__((noinline, cold)) const struct library *search(uintptr_t methods,
                                                                    uintptr_t caller)
{
    const struct library *found = meet(methods);

    if (!found)
        found = known(caller);
    if (!found)
        found = meet(caller);
    if (!found && (__atomic_load_n(&library_count, __ATOMIC_ACQUIRE) > 0 ||
                   hooks_tensorflow_resolve()))
        found = &libraries[0];
    return found;
}

static const struct library *library_of(const void *self, const void *caller)
{
    const uintptr_t methods = *(const uintptr_t *)self;
    const struct library *found = known(methods);

    return __builtin_expect(found != NULL, 1) ? found : search(methods, (uintptr_t)caller);
}

/* ---- the hooks ---- */

static struct thread *enter_pool(void)
{
    if (!thread_self)
        life_begin();
    return pool_enter();
}

static void *noted(const struct library *library, const void *self, struct thread *thread,
                   void *block, const void *frame)
{
    if (pool_leave(thread) && block)
        pool_born(thread, block, library->size_of(self, block), frame);
    return block;
}

static void *allocate(void *self, size_t alignment, size_t bytes, const void *frame,
                      const void *caller)
{
    const struct library *library = library_of(self, caller);
    struct thread *thread;

    if (!library)
        return NULL;
    thread = enter_pool();
    return noted(library, self, thread, library->allocate(self, alignment, bytes), frame);
}

static void *allocate_with(void *self, size_t alignment, size_t bytes, const void *attributes,
                           const void *frame, const void *caller)
{
    const struct library *library = library_of(self, caller);
    struct thread *thread;

    if (!library)
        return NULL;
    thread = enter_pool();
    return noted(library, self, thread, library->allocate_with(self, alignment, bytes, attributes),
                 frame);
}

static void deallocate(void *self, void *block, const void *caller)
{
    const struct library *library = library_of(self, caller);

    if (!library)
        return;
    if (block)
        pool_dead(block, library->size_of(self, block));
    library->deallocate(self, block);
}

#define HOOKS(suffix, space)                                                                      \
    EXPORT allocate_fn tensorflow_allocate_##suffix __asm__(ALLOCATE(space));                     \
    EXPORT allocate_with_fn tensorflow_allocate_with_##suffix __asm__(ALLOCATE_WITH(space));      \
    EXPORT deallocate_fn tensorflow_deallocate_##suffix __asm__(DEALLOCATE(space));               \
    void *tensorflow_allocate_##suffix(void *self, size_t alignment, size_t bytes)                \
    {                                                                                             \
        return allocate(self, alignment, bytes, FRAME, __builtin_return_address(0));              \
    }                                                                                             \
    void *tensorflow_allocate_with_##suffix(void *self, size_t alignment, size_t bytes,           \
                                            const void *attributes)                               \
    {                                                                                             \
        return allocate_with(self, alignment, bytes, attributes, FRAME,                           \
                             __builtin_return_address(0));                                        \
    }                                                                                             \
    void tensorflow_deallocate_##suffix(void *self, void *block)                                  \
    {                                                                                             \
        deallocate(self, block, __builtin_return_address(0));                                     \
    }

HOOKS(now, SPACE_NOW)
HOOKS(before, SPACE_BEFORE)
