/* hooks.c - the malloc family: allocate: real call, then note; release: note, then real call.
 *
 * The C++ operators arrive here through malloc. Every hook keeps errno as the real call left it.
 * Built with frame pointers: the frame address is where a stack walk begins.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probe/core/export.h"
#include "probe/core/state.h"
#include "probe/core/thread.h"
#include "probe/entry/life.h"
#include "probe/record/count.h"
#include "probe/record/pool.h"
#include "probe/record/sample.h"

#define FRAME __builtin_frame_address(0)

/* The calling thread's counters; NULL: count it as a late one, sample nothing. */
static struct thread *self(void)
{
    struct thread *thread = thread_self;

    if (LIKELY(thread != NULL))
        return thread;
    life_begin();
    return thread_attach();
}

/* Until blocks of the program have shown that the short way is right, all take the long one. */
static void settle(struct thread *thread, void *block)
{
    if (!thread_fast && (next.header || next_compare(block)))
        thread_fast = thread;
}

static void count_late(void *block, bool born)
{
    size_t usable;

    if (state_is_off())
        return;
    usable = next_usable(block);
    thread_count_late(born ? usable : 0, born ? 0 : usable, ledger_class(usable));
}

/* An allocation of any size, by any allocator, on any thread. */
static __attribute__((noinline)) void *noted_any(void *block, const void *frame)
{
    struct thread *thread;

    if (!block || next_is_early(block))
        return block;
    thread = self();
    if (LIKELY(thread != NULL)) {
        const size_t usable = next_usable(block);

        settle(thread, block);
        if (UNLIKELY(thread->pooling) && pool_takes(block, usable))
            return block;
        count_born(thread, block, usable, sample_units(usable), frame);
    } else {
        count_late(block, true);
    }
    return block;
}

static __attribute__((noinline, cold)) void *sampled(struct thread *thread, void *block,
                                                     const void *frame)
{
    sample_born(thread, block, next_usable(block), frame);
    return block;
}

/* glibc's heap, and no bin for this size. */
static __attribute__((noinline)) void *noted_large(struct thread *thread, void *block,
                                                   const void *frame)
{
    const size_t usable = next_header_usable(block);

    if (UNLIKELY(thread->pooling) && pool_takes(block, usable))
        return block;
    count_born(thread, block, usable, sample_units(usable), frame);
    return block;
}

static inline void *noted(void *block, const void *frame)
{
    struct thread *thread = thread_fast;
    size_t bin;

    if (UNLIKELY(!block || !thread))
        return noted_any(block, frame);
    bin = count_bin(block);
    if (UNLIKELY(bin >= thread->bin_count))
        return noted_large(thread, block, frame);
    add_one(&thread->bins[bin].born);
    thread->countdown -= __atomic_load_n(&thread_costs[bin], __ATOMIC_RELAXED);
    if (UNLIKELY(thread->countdown <= 0))
        return sampled(thread, block, frame);
    return block;
}

EXPORT void *malloc(size_t size)
{
    return noted(next.malloc(size), FRAME);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return noted(next.calloc(count, size), FRAME);
}

/* A release of any size, on any thread, perhaps of a sampled block. */
static __attribute__((noinline)) void free_any(void *block)
{
    struct thread *thread;

    if (!block || next_is_early(block))
        return;
    thread = self();
    if (UNLIKELY(filter_may_hold(block))) {
        const int saved = errno;

        if (pool_gives_back(block)) {
            next.free(block);
            return;
        }
        sample_dead(block);
        errno = saved;
    }
    if (LIKELY(thread != NULL))
        count_dead(thread, next_usable(block));
    else
        count_late(block, false);
    next.free(block);
}

static __attribute__((noinline)) void free_large(struct thread *thread, void *block)
{
    count_dead(thread, next_header_usable(block));
    next.free(block);
}

EXPORT void free(void *block)
{
    struct thread *thread = thread_fast;
    size_t bin;

    if (UNLIKELY(!block || !thread || filter_may_hold(block))) {
        free_any(block);
        return;
    }
    bin = count_bin(block);
    if (UNLIKELY(bin >= thread->bin_count)) {
        free_large(thread, block);
        return;
    }
    add_one(&thread->bins[bin].dead);
    next.free(block);
}

/* ---- realloc ---- */

static void *realloc_early(void *block, size_t size)
{
    const size_t old = next_early_size(block);
    void *fresh = next.malloc(size);

    if (fresh)
        memcpy(fresh, block, old < size ? old : size);
    return fresh;
}

struct resize {
    struct sample_kept kept;
    size_t old_usable;
};

/* A block that was a pool's own becomes one like any other. */
static void join_heap(struct thread *thread, size_t usable)
{
    if (thread) {
        struct class_total *total = &thread->classes[ledger_class(usable)];

        add_one(&total->born_blocks);
        add_to(&total->born_bytes, usable);
    } else {
        thread_count_late(usable, 0, ledger_class(usable));
    }
}

static void before_resize(struct thread *thread, struct resize *resize, void *block)
{
    resize->kept.sampled = false;
    resize->old_usable = next_usable(block);
    if (LIKELY(!filter_may_hold(block)))
        return;
    if (pool_gives_back(block))
        join_heap(thread, resize->old_usable);
    else
        sample_lift(block, &resize->kept);
}

/* At least one unit more, or none: what the old size had its chance with is not asked again. */
static uint64_t units_grown(size_t before, size_t after)
{
    const uint64_t old = sample_units(before), now = sample_units(after);

    return now > old ? now - old : 0;
}

/* The old block is gone and the new one is there; or the call failed and the old one still is. */
static void after_resize(struct thread *thread, struct resize *resize, void *old, void *fresh,
                         const void *frame)
{
    const int saved = errno;

    if (!fresh) {
        if (resize->kept.sampled)
            sample_drop(old, resize->old_usable, &resize->kept, frame);
    } else {
        const size_t usable = next_usable(fresh), before = resize->old_usable;

        if (thread)
            count_dead(thread, before);
        if (!thread) {
            thread_count_late(usable, before, ledger_class(usable));
        } else if (resize->kept.sampled) {
            struct class_total *total = &thread->classes[ledger_class(usable)];

            add_one(&total->born_blocks);
            add_to(&total->born_bytes, usable);
            sample_drop(fresh, usable, &resize->kept, frame);
        } else {
            count_born(thread, fresh, usable, units_grown(before, usable), frame);
        }
    }
    errno = saved;
}

EXPORT void *realloc(void *block, size_t size)
{
    struct thread *thread = self();
    struct resize resize;
    void *fresh;

    if (!block)
        return noted(next.realloc(NULL, size), FRAME);
    if (UNLIKELY(next_is_early(block)))
        return noted(realloc_early(block, size), FRAME);
    before_resize(thread, &resize, block);
    fresh = next.realloc(block, size);
    if (!fresh && size == 0) { /* this is a release, not a failure */
        if (thread)
            count_dead(thread, resize.old_usable);
        if (resize.kept.sampled)
            sample_gone(&resize.kept);
        return NULL;
    }
    after_resize(thread, &resize, block, fresh, FRAME);
    return fresh;
}

EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
    struct thread *thread = self();
    struct resize resize;
    size_t total;
    void *fresh;

    if (__builtin_mul_overflow(count, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    if (!block)
        return noted(next.realloc(NULL, total), FRAME);
    if (UNLIKELY(next_is_early(block)))
        return noted(realloc_early(block, total), FRAME);
    if (total == 0)
        return realloc(block, 0);
    before_resize(thread, &resize, block);
    fresh = next.realloc(block, total);
    after_resize(thread, &resize, block, fresh, FRAME);
    return fresh;
}

/* ---- the aligned ones ---- */

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    const int error = next.posix_memalign ? next.posix_memalign(out, alignment, size) : ENOMEM;

    if (!error)
        (void)noted(*out, FRAME);
    return error;
}

static void *refused(void)
{
    errno = ENOMEM;
    return NULL;
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return next.aligned_alloc ? noted(next.aligned_alloc(alignment, size), FRAME)
                              : refused();
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return next.memalign ? noted(next.memalign(alignment, size), FRAME) : refused();
}

EXPORT void *valloc(size_t size)
{
    return next.valloc ? noted(next.valloc(size), FRAME) : refused();
}

EXPORT void *pvalloc(size_t size)
{
    return next.pvalloc ? noted(next.pvalloc(size), FRAME) : refused();
}

EXPORT size_t malloc_usable_size(void *block)
{
    if (!block)
        return 0;
    if (next_is_early(block))
        return next_early_size(block);
    life_begin();
    return next.usable ? next.usable(block) : 0;
}
