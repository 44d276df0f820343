/* small_objects.h - the interpreter's small objects: sampled for a window, by wrapping its allocator.
 *
 * Python takes objects of up to 512 bytes out of arenas of its own, which no malloc hook sees. They
 * are counted always (gauges.h); one by one they are followed only on suspicion, because a wrapper
 * costs a few percent of a program that does little else than allocate. A window begins and ends at a
 * tick of the adapter, which holds the interpreter's lock. What was made before a window passes
 * through it; when it ends, what is alive then stays in the ledger as it is.
 *
 * Refused: interpreters whose objects come from malloc or a debugging allocator, programs that have
 * an allocator of their own or tracemalloc in place, sub-interpreters, stacks that cannot be read. A
 * wrapper that other code has wrapped is never removed; it only passes calls on.
 */
#ifndef TARE_PROBE_SMALL_OBJECTS_H
#define TARE_PROBE_SMALL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* Begins a window of at least this many steps, or makes the one that is open that long; 0 ends it.
 * Returns whether objects are sampled now. With the interpreter's lock. */
bool small_objects_watch(struct ledger *ledger, uint64_t steps);

/* At every tick, with the interpreter's lock: ends a window that is over. */
void small_objects_tick(struct ledger *ledger);

/* Were they sampled for all of the interval that is open now? */
bool small_objects_watched(void);

void small_objects_end(void);   /* the interpreter goes; with its lock */
void small_objects_forked(void); /* a new process: what is wrapped stays so until its first tick */

#endif /* TARE_PROBE_SMALL_OBJECTS_H */
