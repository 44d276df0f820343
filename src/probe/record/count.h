/* count.h - the hot path: what every allocation and release costs.
 *
 * With glibc's heap a small block is one of BINS_MOST exact sizes, which the word before it holds:
 * counting it is one addition, for blocks times size is bytes. About 20 instructions on either
 * side. Everything else goes through count_born and count_dead, which ask for the usable size.
 */
#ifndef TARE_PROBE_COUNT_H
#define TARE_PROBE_COUNT_H

#include "ledger/writer.h"
#include "probe/core/add_x86.h"
#include "probe/core/filter.h"
#include "probe/core/next.h"
#include "probe/core/sample_pure.h"
#include "probe/core/thread.h"
#include "probe/record/sample.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The word before a block of glibc's heap: chunk size | 3 flags. Chunks are multiples of 16. */
static inline size_t count_bin(const void *block)
{
    return ((const size_t *)block)[-1] / 16;
}

/* Any block. `fresh`: units that are new to the sampler, fewer than it has after a realloc. */
static inline void count_born(struct thread *thread, void *block, size_t usable, uint64_t fresh,
                              const void *frame)
{
    const unsigned class_index = ledger_class(usable);
    struct class_total *total = &thread->classes[class_index];
    const uint64_t watched = __atomic_load_n(&thread_watched, __ATOMIC_RELAXED);

    add_one(&total->born_blocks);
    add_to(&total->born_bytes, usable);
    thread->countdown -= (int64_t)fresh + (int64_t)((watched >> class_index & 1) << 60);
    if (UNLIKELY(thread->countdown <= 0))
        sample_born(thread, block, usable, frame);
}

static inline void count_dead(struct thread *thread, size_t usable)
{
    struct class_total *total = &thread->classes[ledger_class(usable)];

    add_one(&total->dead_blocks);
    add_to(&total->dead_bytes, usable);
}

#endif /* TARE_PROBE_COUNT_H */
