/* small_count.h - exact bytes of Python's small objects made and released by each thread, while asked.
 *
 * By wrapping the interpreter's allocator, which costs a few nanoseconds for each object, so only
 * while a function runs that is measured line by line. Every call is passed on to what was there
 * before. Where other code has wrapped the wrapper it stays, and only passes calls on.
 */
#ifndef TARE_PROBE_SMALL_COUNT_H
#define TARE_PROBE_SMALL_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* Looks the interpreter's functions up and tries its allocator, once. False: small objects cannot be
 * counted here. With the interpreter's lock, as the next two. */
bool small_count_possible(void);

void small_count_begin(void); /* may be nested */
void small_count_end(void);
void small_count_forked(void); /* a new process: counting has not begun */

struct small_flow {
    uint64_t born, dead; /* bytes */
};
struct small_flow small_count_of_thread(void); /* while counting */

#endif /* TARE_PROBE_SMALL_COUNT_H */
