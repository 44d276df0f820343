/* thread.h - each thread's own counters: one writer, no lock, no shared cache line.
 *
 * Blocks of counters are private pages that a fork wipes: a child finds zeros, so its first
 * allocation drops into the cold path, which notices (`alive` is 0) even after a raw clone that ran
 * no fork handler. A block may be freed by another thread than made it: only sums over all threads
 * mean anything. A dead thread's block is passed on to the next thread, never folded.
 */
#ifndef TARE_PROBE_THREAD_H
#define TARE_PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"
#include "probe/stack_native.h"

#define THREADS_MAX 16384
#define SCOPE_DEPTH 16
#define THREAD_ALIVE 0x7a7e0001u
#define BINS_COUNT   258 /* chunks of glibc's heap up to 257 * 16 bytes, 4,104 usable */

/* Small blocks of one exact size. */
struct bin {
    uint64_t born, dead; /* blocks */
    int64_t cost;        /* atomic: what one takes off the countdown; a watched class bites */
    uint64_t spare;
};

struct scope_frame {
    uint32_t scope; /* index + 1, 0: it did not fit */
    uint64_t live;
    uint64_t allocated;
};

struct thread {
    int64_t countdown; /* units until the next sample; above 0, or this is a wiped copy */
    uint64_t rate;     /* mean that `countdown` was drawn with */
    uint64_t random;
    uint32_t alive; /* THREAD_ALIVE, or 0: this is a copy in a new process */
    uint32_t busy;  /* inside the probe's own work */
    uint32_t owned; /* atomic: a running thread writes here */
    uint32_t depth; /* of scopes; may exceed SCOPE_DEPTH */
    uint32_t pooling;  /* calls of a framework's pool that are open (pool.h) */
    uint32_t launched; /* its work is launched by other threads (launch.h) */
    uintptr_t stack_top; /* 0: unknown */
    int64_t object_countdown; /* the same for an interpreter's small objects (objects.h) … */
    uint64_t object_rate;     /* … 0: never drawn */
    struct scope_frame scopes[SCOPE_DEPTH];
    _Alignas(64) struct bin bins[BINS_COUNT];
    struct class_total classes[LEDGER_CLASSES]; /* what is not in the bins */
};

struct thread_sums {
    struct class_total classes[LEDGER_CLASSES];
    uint64_t live_bytes, live_blocks, born_bytes, born_blocks;
    uint64_t slack; /* freed while we summed: live_bytes is too high by at most this */
};

extern __thread struct thread *thread_self; /* NULL: not attached yet, or no more */
/* The same, but only where the bins may be used: the next allocator is glibc's. */
extern __thread struct thread *thread_fast;

void thread_setup(void); /* once, at the probe's start */

/* Gives the calling thread its counters; NULL when the probe is off or the thread is ending. */
struct thread *thread_attach(void);

/* For threads without counters: counted in one shared block by atomic additions. */
void thread_count_late(uint64_t born_bytes, uint64_t dead_bytes, unsigned class_index);

/* All frees first, then all allocations: never below the truth, and exact when quiet. */
void thread_sum(struct thread_sums *out);
/* The set of watched classes has changed. */
void thread_watch(uint64_t classes);

uint64_t thread_born_bytes(const struct thread *thread); /* by this thread alone */
struct thread_flow {
    uint64_t born, dead; /* bytes */
};
struct thread_flow thread_flow(const struct thread *thread); /* both */

void thread_before_fork(void); /* remembers the sums that a child inherits */
/* In the new process, on its only thread. `raw`: no fork handler ran before. */
void thread_after_fork(struct thread *self, const struct thread_sums *known, bool raw);

uint64_t thread_inherited_bytes(void);
uint64_t thread_inherited_blocks(void);
/* An address at the top of each live thread's stack, as far as known; how many. */
size_t thread_stack_tops(uintptr_t *tops, size_t room);

uint32_t thread_started(void);
uint32_t thread_ended(void);

#endif /* TARE_PROBE_THREAD_H */
