/* stack_js.h - the calling thread's own JavaScript frames, by asking V8, the engine of Node.
 *
 * V8 may be asked at some moments only: on a thread whose isolate the adapter has shown us, outside
 * of a collection, and in a call of the allocator that comes from the allocator of ArrayBuffers or
 * from an add-on. At those points V8 itself expects that a collection may happen. What it allocates
 * for its own purposes never asks. An engine that lacks one of the names is left alone.
 *
 * No lock of the probe is held while V8 is asked: it may collect, and so release blocks.
 */
#ifndef TARE_PROBE_STACK_JS_H
#define TARE_PROBE_STACK_JS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"
#include "probe/stack_native.h"

/* The adapter, called from JavaScript: this thread's isolate may be asked from now on, until the
 * environment is taken down. */
void stack_js_enter(void);
void stack_js_leave(void);

bool stack_js_is_here(void);      /* on this thread, shown to us */
void *stack_js_isolate(void); /* that one; NULL: none */
uint32_t stack_js_number(void); /* of this thread's isolate, from 1 */

/* Calls of JavaScript by its host on this thread, so far. */
uint64_t stack_js_calls(void);

/* Full collections of this thread's isolate that are over, and all of them. 0 without an adapter. */
uint64_t stack_js_collections(uint64_t *full);
bool stack_js_thorough(void); /* somebody asked for the latest full one; the engine's own leave more */
uint64_t stack_js_kept(void); /* bytes in use at the end of it; 0: not known */

/* A key of the stack as it stands; 0: V8 may not be asked here. `frame`: of a hook, or NULL when
 * JavaScript has called the adapter itself. */
uint64_t stack_js_key(const void *frame);

/* Whose frames are among those of a walk, one bit each. */
enum js_frames { JS_USER = 1, JS_FRAMEWORK = 2 };

/* Innermost first, named and recorded; 0: none. Only after stack_js_key gave a key. */
unsigned stack_js_walk(struct ledger *ledger, struct native_frame *frames, unsigned max,
                       unsigned *whose);

/* Calls something with this thread's isolate, in a scope for handles. */
size_t stack_js_with(size_t (*call)(void *isolate, char *text, size_t room), char *text, size_t room);

/* The record of a function that is known by its name and its file; adds to *whose. 0: no room. */
uint32_t stack_js_unit(struct ledger *ledger, const char *name, const char *file, unsigned *whose);

/* Does V8 map pages for its own heap here? From Node 24 on they are made usable at once, before that later
 * and bit by bit. What is in them is told by the gauges of the heap. */
bool stack_js_maps(uintptr_t caller);

bool stack_js_may_ask(void); /* here and now: not within a collection */

/* Has V8 make a full collection. False: it may not be asked here. */
bool stack_js_collect(void);


#endif /* TARE_PROBE_STACK_JS_H */
