/* stack_js.h - the calling thread's own JavaScript frames, from V8, the engine of Node.
 *
 * V8 may be called only at certain moments: on a thread whose isolate the adapter has shown us,
 * outside of a collection, and in a call of the allocator that comes from the allocator of
 * ArrayBuffers or from an add-on. At those points V8 itself expects that a collection may happen.
 * V8's allocations for its own purposes never lead to a call. An engine that lacks one of the names
 * is left alone.
 *
 * The probe holds no lock while it calls V8: V8 may collect, and so release blocks.
 */
#ifndef TARE_PROBE_STACK_JS_H
#define TARE_PROBE_STACK_JS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/unwind/stack_native.h"

/* The adapter calls this from JavaScript: from now on the probe may call this thread's isolate,
 * until the environment is shut down. */
void stack_js_enter(void);
void stack_js_leave(void);

bool stack_js_is_here(void);      /* this thread has an isolate that was shown to us */
void *stack_js_isolate(void); /* the isolate of this thread; NULL: none */
uint32_t stack_js_number(void); /* of this thread's isolate, from 1 */

/* Does this address lie in the engine; in its code that runs functions of JavaScript? */
bool stack_js_holds(uintptr_t address);
bool stack_js_evaluates(uintptr_t address);

/* Calls of JavaScript by its host on this thread, so far. */
uint64_t stack_js_calls(void);

/* Full collections of this thread's isolate that are over, and all of them. 0 without an adapter. */
uint64_t stack_js_collections(uint64_t *full);
bool stack_js_thorough(void); /* the latest full collection was requested; V8's own leave more */
uint64_t stack_js_kept(void); /* bytes in use after the latest full collection; 0: not known */

/* A key of the stack as it stands; 0: V8 may not be called here. `frame`: of a hook, or NULL when
 * JavaScript has called the adapter itself. */
uint64_t stack_js_key(const void *frame);

/* Innermost first, named and recorded; 0: none. Only after stack_js_key gave a key. */
unsigned stack_js_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                       unsigned *whose); /* enum js_frames of js_owner.h */

/* Calls something with this thread's isolate, in a scope for handles. */
size_t stack_js_with(size_t (*call)(void *isolate, char *text, size_t room), char *text, size_t room);

/* The record of a function that is known by its name and its file; adds to *whose. 0: no room. */
uint32_t stack_js_unit(struct ledger *ledger, const char *name, const char *file, unsigned *whose);

/* Does V8 map pages for its own heap here? From Node 24 on they are made usable at once, before
 * that bit by bit. The heap's gauges count what is in them. */
bool stack_js_maps(uintptr_t caller);

/* Called before each full collection of a thread's isolate that begins while no JavaScript runs. */
void stack_js_on_collection(void (*call)(void));

/* Three sizes of the heap of this thread's isolate: bytes in use, external bytes on its account,
 * and the limit to which it may grow. False: not available. */
bool stack_js_heap(uint64_t *used, uint64_t *external, uint64_t *limit);

bool stack_js_may_ask(void); /* here and now: not within a collection */

/* Has V8 make a full collection. False: not allowed here. */
bool stack_js_collect(void);


#endif /* TARE_PROBE_STACK_JS_H */
