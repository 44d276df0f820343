/* handoff.h - work that one thread launches and others do.
 *
 * A framework's own threads have no Python frames, and their native ones say little. The thread that
 * launches the work waits for it. It publishes its stack as it launches, and the blocks that the
 * framework's threads allocate get that stack. No thread ever walks the frames of another thread.
 */
#ifndef TARE_PROBE_HANDOFF_H
#define TARE_PROBE_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/unwind/stack_native.h"

/* A thread launches work now, by this stack. */
void handoff_publish(uint32_t stack);

/* The stack that last launched something; 0: none did. */
uint32_t handoff_stack(void);

/* A thread's native frames: do they lead through a library that works on threads of its own? */
bool handoff_is_worker(const struct ledger *ledger, const struct native_frame *frames,
                      unsigned count);

void handoff_forked(void); /* a new process: its stacks are numbered from 1 again */

#endif /* TARE_PROBE_HANDOFF_H */
