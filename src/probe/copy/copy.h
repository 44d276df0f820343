/* copy.h - a copy of the process that works beside it, within bounds.
 *
 * Made by a raw clone: no fork handlers, no exit signal, so that the host's own waits see nothing; and
 * untraced, so that a debugger of the host neither stops nor follows it. The copy closes all
 * descriptors, is the first to be killed when memory runs out, and watches itself: every few
 * milliseconds, and when its parent ends, it looks at the clock, at its parent, at the memory that is
 * left and at the page faults that its existence causes in the program. What is over its bound ends the
 * copy, never the program.
 */
#ifndef TARE_PROBE_COPY_H
#define TARE_PROBE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ledger/unsearched.h"

#define COPY_SECONDS 5          /* how long a copy may live */
#define COPY_SECONDS_STARVED 15 /* how long one may live that mostly waits for a processor */

/* In memory that both share. The program fills it in, the copy writes the last three. */
struct copy_watch {
    pid_t parent;             /* the program */
    uint64_t room;            /* bytes that the copy may map for itself */
    uint64_t faults_most;     /* atomic: minor faults that the copy may cause in the program */
    uint64_t faults_rate;     /* minor faults per second that the program had before */
    const uint64_t *headroom; /* atomic: bytes left below the nearest limit; NULL or 0: not known */
    uint64_t headroom_least;  /* fewer end the copy */
    uint64_t taken;           /* bytes mapped so far */
    uint64_t faults;          /* atomic: of the program since, as last seen */
    uint32_t reason;          /* atomic: enum unsearched; 0: it came to its end, or is at work */
};

/* Makes a copy that calls `work` and ends. Its process id, or a negative number. All fields but the last
 * three are filled in. */
pid_t copy_make(struct copy_watch *watch, void (*work)(void));

/* In the copy only: private zeroed pages within its room; NULL, with the reason noted: refused. */
void *copy_map(size_t bytes);
bool copy_take(size_t bytes); /* counts what was mapped otherwise; false: it is too much */
/* Makes such an array longer; it may move. */
bool copy_grow(void *array, size_t bytes, size_t new_bytes);
void copy_release(void *memory, size_t bytes);
bool copy_is_short(void); /* something was refused: what was found is not all */

/* In the program: ends a copy and collects it. The processor time that it took, in nanoseconds.
 * Async-signal-safe. */
uint64_t copy_kill(pid_t copy);

/* The same of one that may have ended by itself; 0: it is at work, else what wait4 says. */
long copy_collect(pid_t copy, int *status, uint64_t *worked);

/* Calls code of the program's own in the copy. False: it touched memory that is not there, and was left. Not
 * one within another. */
bool copy_try(void (*foreign)(void *), void *data);

/* Whether a fault ends the call: not while it has called back. Gives what was so before. */
bool copy_may_fault(bool may);

#endif /* TARE_PROBE_COPY_H */
