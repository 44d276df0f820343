/* stack_await.h - who waits for the JavaScript that is running: frames of async functions below it.
 *
 * V8's stack for embedders ends where the event loop has called; the functions that await are on the one
 * of Error alone, and in what V8 prints. That is printed into a buffer here, without running any
 * JavaScript and without the heap: a stream of the C++ library over memory of our own, all by name.
 */
#ifndef TARE_PROBE_STACK_AWAIT_H
#define TARE_PROBE_STACK_AWAIT_H

#include "ledger/writer.h"
#include "probe/stack_native.h"

/* Asking takes 20 to 100 µs. Has this thread done so for less than a fiftieth of the time? */
bool stack_await_may_ask(void);

/* Innermost first; 0: nobody waits, or it is not to be had. Where stack_js_walk may be called. `whose`: enum
 * js_frames, as there. */
unsigned stack_await_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                          unsigned *whose);

#endif /* TARE_PROBE_STACK_AWAIT_H */
