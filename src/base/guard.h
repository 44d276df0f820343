/* guard.h - a mapped file that is cut short does not end us.
 *
 * A process that may write a file can make it shorter while we have it mapped. The kernel then
 * sends SIGBUS to a process that reads beyond the new end. In a guarded map, everything from that
 * page to the end of the map becomes zeros, and the read continues; readers take zeros for "nothing
 * there". SIGBUS for any other reason has its usual effect.
 *
 * For tare's own processes, which have one thread, never for the program.
 */
#ifndef TARE_BASE_GUARD_H
#define TARE_BASE_GUARD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Catches SIGBUS from now on, also in children that do not exec. */
void guard_install(void);

/* Guards a map until guard_remove, which comes before the unmapping. False: no memory; it is not
 * guarded. */
bool guard_add(const void *start, size_t size);
void guard_remove(const void *start); /* accepts a map that is not guarded */

/* Was the file of this map found to be shorter? */
bool guard_was_cut(const void *start);

/* For a SIGBUS handler that replaces ours. True: the read may continue. */
bool guard_mend(const siginfo_t *info);

#endif /* TARE_BASE_GUARD_H */
