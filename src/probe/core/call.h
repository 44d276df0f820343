/* call.h - the probe begins to work on a call of the program. */
#ifndef TARE_PROBE_CALL_H
#define TARE_PROBE_CALL_H

struct thread;

/* The calling thread, marked busy; the caller clears the mark when the call has been noted. A thread whose
 * counters a raw clone has wiped begins a new process first. NULL: the probe is off, or has no room for this
 * thread, or is at work on it already. */
struct thread *call_enter(void);

#endif /* TARE_PROBE_CALL_H */
