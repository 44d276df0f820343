/* asking.h - which thread may make requests to the interpreter or JavaScript engine, and when.
 *
 * An adapter calls the probe on a thread that holds the interpreter's lock, or on the engine's own
 * thread. That thread holds the turn: only it may collect garbage or take a heap snapshot, and only
 * between asking_begin and asking_end.
 */
#ifndef TARE_PROBE_ASKING_H
#define TARE_PROBE_ASKING_H

#include <stdbool.h>
#include <stdint.h>

/* The turn. The caller holds the interpreter's lock, unless finalizers of a collection passed
 * the lock to another thread. That thread, or a tick inside a finalizer, does not get the turn. */
bool asking_take_turn(void);
void asking_give_turn(void);

/* By the thread that has the turn: from asking_begin to asking_end it may call the interpreter. */
void asking_begin(bool last_round); /* `last_round`: do not wait for other threads */
void asking_end(void);              /* from now on it may not */
bool asking_may(void);              /* may this thread call the interpreter now? */

/* Has the interpreter or the engine collect garbage. Returns the objects that it reports as
 * unreachable; -1: neither is here, or this thread may not call it now. */
long asking_collect(void);

/* ---- the JavaScript engine ---- */

bool asking_collect_js(void); /* has this thread's engine collect. False: not allowed here */
/* Has its heap written to `path` if no more than `most` bytes are in use (0: any). *since: as in
 * js_on_snapshot of entry/adapter_abi.h. False: it was not. */
bool asking_snapshot(const char *path, uint64_t most, uint32_t *since);

/* May this thread serve requests to the engine? Yes unless another thread was put in charge. */
bool asking_in_charge(void);
void asking_charge(bool mine);

/* Sets what the adapter of this thread's engine wants called after a collection, and for a
 * snapshot. */
void asking_on_collected(void (*call)(void *), void *data);
void asking_on_snapshot(bool (*take)(void *, const char *, uint64_t, uint32_t *), void *data);

/* This thread is inside a script, at a safe point of its engine: no JavaScript may run. */
bool asking_is_interrupt(void);
void asking_set_interrupt(bool now);

void asking_forked(void); /* a new process */

#endif /* TARE_PROBE_ASKING_H */
