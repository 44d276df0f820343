/* guard.h - a mapped file that is cut short does not end us.
 *
 * Whoever may write a file can make it shorter while we have it mapped. The kernel then sends
 * SIGBUS to whoever looks beyond the new end. In the maps that are guarded, everything from the
 * page that was looked at to the end of the map becomes zeros, and the look goes on: what reads
 * the file takes zeros for "nothing there". SIGBUS for any other reason does what it always does.
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

/* Guards a map until guard_remove, which comes before the unmapping. False: no memory, it is not guarded. */
bool guard_add(const void *start, size_t size);
void guard_remove(const void *start); /* accepts what is not guarded */

/* Has the file of this map been found to be shorter? */
bool guard_was_cut(const void *start);

/* For a handler of SIGBUS that replaces ours. True: the look may go on. */
bool guard_mend(const siginfo_t *info);

#endif /* TARE_BASE_GUARD_H */
