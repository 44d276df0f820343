/* stack_await.h - frames of the async functions that await the running JavaScript.
 *
 * V8's stack for embedders ends where the event loop made the call. The functions that await appear
 * only in Error.stack, and in what V8 prints. Here V8 prints into a buffer, without running any
 * JavaScript and without the heap: a stream of the C++ library over memory of our own, all found by
 * name.
 */
#ifndef TARE_PROBE_STACK_AWAIT_H
#define TARE_PROBE_STACK_AWAIT_H

#include "ledger/writer.h"
#include "probe/unwind/stack_native.h"

/* A walk takes 20 to 100 µs. Has this thread spent less than a fiftieth of its time on them? */
bool stack_await_may_ask(void);

/* The awaiting functions, innermost first; 0: there are none, or they cannot be read. Call it
 * only where stack_js_walk may be called. `whose`: enum js_frames, as there. */
unsigned stack_await_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                          unsigned *whose);

#endif /* TARE_PROBE_STACK_AWAIT_H */
