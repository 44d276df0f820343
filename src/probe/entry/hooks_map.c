/* hooks_map.c - the mmap family and shared memory: make: real call, then note; release: note, then
 * real call. The real calls are the system's own: nothing stands between us and the kernel. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/core/call.h"
#include "probe/core/export.h"
#include "probe/core/next.h"
#include "probe/core/state.h"
#include "probe/core/symbol.h"
#include "probe/core/thread.h"
#include "probe/js/stack_js.h"
#include "probe/python/arenas.h"
#include "probe/python/stack_python.h"
#include "probe/record/maps.h"
#include "probe/record/names.h"

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

static void note(struct maps_new *made)
{
    if (by_allocator(made->caller)) {
        maps_allocator_grew((int64_t)made->length);
        return;
    }
    if (stack_js_maps((uintptr_t)made->caller))
        return;
    if (is_arena(made->length, made->kind, made->caller))
        made->kind = SITE_ARENA;
    maps_born(made);
    if (made->kind == SITE_ARENA)
        arenas_born((uintptr_t)made->address, made->length);
}

static void *map(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    void *result = map(address, length, protection, flags, fd, offset);
    const int saved = errno;
    struct thread *thread = result != MAP_FAILED ? call_enter() : NULL;
    struct maps_new made = {.address = result, .length = length};

    if (!thread)
        return result;
    if (flags & MAP_FIXED)
        maps_dead(result, length, NULL); /* a fixed mapping replaces what was there */
    made.kind = maps_kind(protection, flags, fd);
    made.object = made.kind == SITE_SHARED && !(flags & MAP_ANONYMOUS) ? names_of_file(fd) : 0;
    made.frame = __builtin_frame_address(0);
    made.caller = __builtin_return_address(0);
    if (made.kind)
        note(&made);
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
    struct thread *thread = call_enter();
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
    thread = call_enter();
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
    struct thread *thread = result != (void *)-1 ? call_enter() : NULL;
    struct shmid_ds info = {.shm_segsz = 0};
    struct maps_new made = {.address = result, .kind = SITE_SHARED};

    if (!thread)
        return result;
    if (syscall(SYS_shmctl, id, IPC_STAT, &info) == 0 && info.shm_segsz > 0) {
        made.length = info.shm_segsz;
        made.object = names_of_segment(id);
        made.frame = __builtin_frame_address(0);
        made.caller = __builtin_return_address(0);
        note(&made);
    }
    leave(thread, saved);
    return result;
}

EXPORT int shmdt(const void *address)
{
    const int saved = errno;
    struct thread *thread = call_enter();

    if (thread) {
        /* One attachment is one record, whatever its length; the first page finds it. */
        maps_dead_at((void *)(uintptr_t)address);
        leave(thread, saved);
    }
    return (int)syscall(SYS_shmdt, address);
}

/* ---- names of shared memory ---- */

static int (*real_shm_open)(const char *, int, mode_t);
static int (*real_shm_unlink)(const char *);

/* Before glibc 2.34 these functions are in a separate library, which may be loaded later. No
 * call reaches us before it is loaded; then the first call searches for them again. */
__attribute__((constructor(102))) static void find_names(void)
{
    (void)symbol_find(RTLD_NEXT, "shm_open", &real_shm_open);
    (void)symbol_find(RTLD_NEXT, "shm_unlink", &real_shm_unlink);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    struct thread *thread;
    int fd, saved;

    if (!real_shm_open)
        find_names();
    if (!real_shm_open) {
        errno = ENOSYS;
        return -1;
    }
    fd = real_shm_open(name, flags, mode);
    saved = errno;
    thread = fd >= 0 && flags & O_CREAT ? call_enter() : NULL;
    if (thread) {
        names_opened(fd, name);
        leave(thread, saved);
    }
    return fd;
}

EXPORT int shm_unlink(const char *name)
{
    struct thread *thread;
    int result, saved;

    if (!real_shm_unlink)
        find_names();
    if (!real_shm_unlink) {
        errno = ENOSYS;
        return -1;
    }
    result = real_shm_unlink(name);
    saved = errno;
    thread = result == 0 ? call_enter() : NULL;
    if (thread) {
        maps_name_removed(name);
        leave(thread, saved);
    }
    return result;
}
