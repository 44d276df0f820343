/* launch.h - work that one thread launches and others do.
 *
 * A framework's own threads have no Python frames, and their native ones say little. The thread that
 * launches the work waits for it; its stack is published as it launches, and the blocks that the
 * framework's threads make bear it. Nobody ever walks the frames of another thread.
 */
#ifndef TARE_PROBE_LAUNCH_H
#define TARE_PROBE_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/stack_native.h"

/* The calling thread launches work now. */
void launch_publish(const void *frame);

/* The stack that last launched something; 0: none did. */
uint32_t launch_stack(void);

/* A thread's native frames: do they lead through a library that works on threads of its own? */
bool launch_is_worker(const struct ledger *ledger, const struct native_frame *frames,
                      unsigned count);

void launch_reset(void); /* a new process: its stacks are numbered anew */

#endif /* TARE_PROBE_LAUNCH_H */
