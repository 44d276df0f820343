/* thread.h - each thread's own counters: one writer, no lock, no shared cache line.
 *
 * Blocks of counters are private pages that a fork wipes: a child finds zeros, so its first
 * allocation drops into the cold path, which notices (`alive` is 0) even after a raw clone that ran
 * no fork handler. A block may be freed by another thread than made it: only sums over all threads
 * mean anything (thread_sums.h). A dead thread's counters are passed on to the next thread, never
 * folded.
 *
 * The first THREADS_ROOMY threads have a bin for every small size. Those after them have 3 KB each:
 * fewer bins, and what has none is counted by its class.
 */
#ifndef TARE_PROBE_THREAD_H
#define TARE_PROBE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/layout.h"

#define THREADS_MAX 16384
#define SCOPE_DEPTH 16
#define THREAD_ALIVE 0x7a7e0001u
#define THREADS_ROOMY 64
/* A watched class takes this much off the countdown, so that one branch tests for both. */
#define THREAD_WATCH_BITE (1ll << 60)
#define BINS_MOST    258 /* chunks of glibc's heap up to 257 * 16 bytes, 4,104 usable */

/* Small blocks of one exact size. */
struct bin {
    uint64_t born; /* blocks of this size that the thread allocated */
    uint64_t dead; /* blocks of this size that it released */
};

struct scope_frame {
    uint32_t scope;     /* scope record: index + 1; 0: there was no room for it */
    uint64_t live;      /* live bytes of the process when the scope began */
    uint64_t allocated; /* bytes that the thread had allocated by then */
};

struct thread {
    int64_t countdown;   /* units until the next sample; 0 in a block that a fork wiped */
    uint64_t rate;       /* mean number of bytes that `countdown` was drawn with */
    uint64_t random;     /* state of the thread's random numbers */
    uint32_t alive;      /* THREAD_ALIVE; 0: a fork wiped this block, which is in a new process now */
    uint32_t busy;       /* above 0: the probe works on this thread, whose calls are counted only */
    uint32_t owned;      /* atomic: 1: a running thread writes here */
    uint32_t depth;      /* scopes that are open; may exceed SCOPE_DEPTH */
    uint32_t pooling;    /* calls of a framework's pool that are open (pool.h) */
    uint32_t launched;   /* 1: other threads launch this thread's work (handoff.h) */
    uint32_t index;      /* place of this block among all blocks */
    uint32_t next_free;  /* atomic: next block without a thread: index + 1; 0: none */
    uint64_t bin_count;  /* entries of `bins` */
    uintptr_t stack_top; /* upper end of the thread's stack; 0: not known */
    int64_t object_countdown; /* countdown for an interpreter's small objects */
    uint64_t object_rate;     /* mean that object_countdown was drawn with; 0: never drawn */
    struct scope_frame scopes[SCOPE_DEPTH]; /* the open scopes, the outermost first */
    _Alignas(64) struct class_total classes[LEDGER_CLASSES]; /* what is not in the bins */
    struct bin bins[]; /* by size in units of 16 bytes; only with glibc's allocator */
};

extern __thread struct thread *thread_self; /* NULL: not attached yet, or no more */
/* The same, but only where the bins may be used: the next allocator is glibc's. */
extern __thread struct thread *thread_fast;
/* Atomic: what a block of each bin takes off the countdown; one of a watched class bites. */
extern int64_t thread_costs[BINS_MOST];

/* Written by rate.c, read by every thread. */
extern uint64_t thread_watched; /* atomic: the classes that are watched block by block, one bit each */
extern uint64_t thread_rate;    /* atomic: mean bytes between samples; 0: not set yet */

void thread_setup(void); /* once, at the probe's start */

/* Gives the calling thread its counters; NULL when the probe is off or the thread is ending. */
struct thread *thread_attach(void);

/* For threads without counters: counted in one shared block by atomic additions. */
void thread_count_late(uint64_t born_bytes, uint64_t dead_bytes, unsigned class_index);

/* The set of watched classes is now this one. */
void thread_watch(uint64_t classes);

uint32_t thread_blocks(void); /* number of blocks of counters ever made */
const struct thread *thread_block(uint32_t index); /* NULL: not there yet */
/* What one block in this bin takes of the heap. */
static inline uint64_t thread_bin_usable(unsigned bin)
{
    return (uint64_t)bin * 16 - 8; /* a chunk has a header of 8 */
}
/* Counters without a thread: for threads without a block, and for blocks alive at the fork (all
 * born). */
const struct class_total *thread_late(void);
const struct class_total *thread_inherited(void);

uint64_t thread_born_bytes(const struct thread *thread); /* bytes allocated by this thread only */
struct thread_flow {
    uint64_t born, dead; /* bytes */
};
struct thread_flow thread_flow(const struct thread *thread); /* both */

/* In the new process, on its only thread. `known`: the sums by class before it. */
void thread_after_fork(struct thread *self, const struct class_total *known);

uint64_t thread_inherited_bytes(void);
/* An address at the top of each live thread's stack, as far as known; how many. */
size_t thread_stack_tops(uintptr_t *tops, size_t room);

/* Waits until no other thread is inside the probe's own work, at most 20 ms. */
void thread_let_others_finish(void);

uint32_t thread_started(void);
uint32_t thread_ended(void);

#endif /* TARE_PROBE_THREAD_H */
