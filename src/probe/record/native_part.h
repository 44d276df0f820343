/* native_part.h - the native code between a language's frames and an allocation.
 *
 * A Python or JavaScript stack ends at a call of native code. What that code called until it allocated
 * says which library made the block: the frames from the allocation outwards, up to the first in the
 * interpreter or engine. Those are a few of the hundred that a whole native stack has, so reading them
 * costs little.
 */
#ifndef TARE_PROBE_NATIVE_PART_H
#define TARE_PROBE_NATIVE_PART_H

#include "ledger/writer.h"
#include "probe/unwind/stack_native.h"

#define NATIVE_PART_DEPTH 32 /* of a deeper part the outer frames are left out */

/* Of the calling thread, whose innermost function is one of Python or JavaScript. `frame` as in
 * stack_take. Innermost first; 0: the interpreter or the engine allocated for itself. Code without a
 * module is one frame of unit 0 and offset 0. */
unsigned native_part_walk(const void *frame, struct native_frame *frames, unsigned max);

#endif /* TARE_PROBE_NATIVE_PART_H */
