/* hooks_map.c - the mmap family and shared memory: make: real call, then note; release: note, then
 * real call. The real calls are the system's own: nothing stands between us and the kernel. */
#include <errno.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/arenas.h"
#include "probe/export.h"
#include "probe/life.h"
#include "probe/maps.h"
#include "probe/next.h"
#include "probe/stack_js.h"
#include "probe/stack_python.h"
#include "probe/thread.h"

/* The thread that may note this call; NULL: it is the probe's own, or nothing is to be noted. */
static struct thread *enter(void)
{
    struct thread *thread;

    if (life_is_off())
        return NULL;
    thread = thread_self ? thread_self : thread_attach();
    if (!thread || thread->busy)
        return NULL;
    if (thread->alive != THREAD_ALIVE)
        life_new_process(thread, true);
    thread->busy = 1;
    return thread;
}

static void leave(struct thread *thread, int saved)
{
    thread->busy = 0;
    errno = saved;
}

static bool by_allocator(const void *caller)
{
    return (uintptr_t)caller - next.start < next.end - next.start;
}

/* Python takes memory for its small objects in mappings of one size: before 3.10 a quarter of a
 * megabyte, from then on a whole one. */
static bool is_arena(size_t length, uint32_t kind, const void *caller)
{
    return kind == SITE_MAP && (length == 256u << 10 || length == 1u << 20) &&
           stack_python_holds((uintptr_t)caller);
}

static void note_own_map(void *result, size_t length, uint32_t kind, const void *frame,
                         const void *caller)
{
    maps_born(result, length, kind, frame, caller);
    if (kind == SITE_ARENA)
        arenas_born((uintptr_t)result, length);
}

static void note_kind(void *result, size_t length, uint32_t kind, const void *frame,
                      const void *caller)
{
    if (by_allocator(caller))
        maps_allocator_grew((int64_t)length);
    else if (!stack_js_maps((uintptr_t)caller))
        note_own_map(result, length, is_arena(length, kind, caller) ? SITE_ARENA : kind, frame,
                     caller);
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *result = map(address, length, protection, flags, fd, offset);
    const int saved = errno;
    struct thread *thread = result != MAP_FAILED ? enter() : NULL;
    uint32_t kind;

    if (!thread)
        return result;
    if (flags & MAP_FIXED)
        maps_dead(result, length, NULL); /* a fixed mapping replaces what was there */
    kind = maps_kind(protection, flags, fd);
    if (kind)
        note_kind(result, length, kind, __builtin_frame_address(0), __builtin_return_address(0));
    leave(thread, saved);
    return result;
}

/* With 64-bit offsets it is the same. */
EXPORT void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
    __attribute__((alias("mmap")));

EXPORT int munmap(void *address, size_t length)
{
    const int saved = errno;
    struct maps_cut cut = {.count = 0};
    struct thread *thread = enter();
    int result;

    arenas_dead((uintptr_t)address, length);
    if (thread) {
        if (by_allocator(__builtin_return_address(0)))
            maps_allocator_grew(-(int64_t)length);
        else
            maps_dead(address, length, &cut);
        leave(thread, saved);
    }
    result = (int)syscall(SYS_munmap, address, length);
    if (result != 0 && cut.count > 0 && thread) {
        const int error = errno;

        thread->busy = 1;
        maps_put_back(&cut);
        leave(thread, error);
    }
    return result;
}

EXPORT void *mremap(void *old, size_t old_length, size_t new_length, int flags, ...)
{
    const int saved = errno;
    struct maps_cut cut = {.count = 0};
    struct thread *thread;
    va_list args;
    void *fixed, *result;

    va_start(args, flags);
    fixed = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    thread = enter();
    if (thread) {
        maps_dead(old, old_length, &cut);
        leave(thread, saved);
    }
    result = (void *)syscall(SYS_mremap, old, old_length, new_length, flags, fixed);
    if (thread && cut.count > 0) {
        const int error = errno;

        thread->busy = 1;
        if (result == MAP_FAILED)
            maps_put_back(&cut);
        else
            maps_moved(&cut, result, new_length);
        leave(thread, error);
    }
    return result;
}

EXPORT void *shmat(int id, const void *address, int flags)
{
    void *result = (void *)syscall(SYS_shmat, id, address, flags);
    const int saved = errno;
    struct thread *thread = result != (void *)-1 ? enter() : NULL;
    struct shmid_ds info = {.shm_segsz = 0};

    if (!thread)
        return result;
    if (syscall(SYS_shmctl, id, IPC_STAT, &info) == 0 && info.shm_segsz > 0)
        note_kind(result, info.shm_segsz, SITE_SHARED, __builtin_frame_address(0),
                  __builtin_return_address(0));
    leave(thread, saved);
    return result;
}

EXPORT int shmdt(const void *address)
{
    const int saved = errno;
    struct thread *thread = enter();

    if (thread) {
        /* One attachment is one record, whatever its length; the first page finds it. */
        maps_dead_at((void *)(uintptr_t)address);
        leave(thread, saved);
    }
    return (int)syscall(SYS_shmdt, address);
}
