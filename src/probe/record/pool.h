/* pool.h - memory that a framework takes in large regions and hands out by itself.
 *
 * A region is reserved: it is not a block of the program, and is not judged. What the pool hands
 * out of it is a block like one of the heap: counted, sampled, released. While a thread is inside
 * the pool's own allocating function, the large blocks that it takes from the heap are regions, and
 * the tables that describe them.
 */
#ifndef TARE_PROBE_POOL_H
#define TARE_PROBE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/core/thread.h"

/* The calling thread is about to enter the pool; NULL: it has no counters, and nothing is noted. */
struct thread *pool_enter(void);
/* The thread has left the pool. True: by the outermost call, whose result goes to the program. */
bool pool_leave(struct thread *thread);

/* A block was handed out, or is about to be taken back. `bytes`: as the pool itself counts them. */
void pool_born(struct thread *thread, void *block, size_t bytes, const void *frame);
void pool_dead(void *block, size_t bytes);

/* A block of the heap was made by a thread inside a pool. True: it is the pool's own. */
bool pool_takes(const void *block, size_t usable);
/* A block of the heap is about to be released. True: it was the pool's own, and was never counted. */
bool pool_gives_back(const void *block);

bool pool_is_here(void); /* has one taken a region? */

/* Does this address lie in a region? */
bool pool_holds(uintptr_t address);

struct pool_totals {
    uint64_t reserved, live, blocks, born;
};
void pool_totals(struct pool_totals *out);

/* With the totals of a step. Nothing before the first region. */
void pool_write(struct ledger *ledger);

void pool_forked(void); /* a new process: its parent's regions are in it, its ledger is its own */

#endif /* TARE_PROBE_POOL_H */
