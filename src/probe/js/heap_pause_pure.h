/* heap_pause_pure.h - how long V8 stops a program to look at its heap: bounds, and predictions.
 *
 * A snapshot takes 1 to 6 µs of processor time for each object, which is 7 to 140 ms for each megabyte.
 * Neither the size of a heap nor its last collection says more than a range, so three things are
 * combined: what a collection has taken, what the numbering of the same objects has taken, and, once a
 * snapshot has begun, how far it has come. docs/internals/node.md has the measurements.
 */
#ifndef TARE_PROBE_HEAP_PAUSE_PURE_H
#define TARE_PROBE_HEAP_PAUSE_PURE_H

#include <stdbool.h>
#include <stdint.h>

#define HEAP_PAUSE_LISTENS 500000000u /* nanoseconds: of a program that listens on a socket */
#define HEAP_PAUSE_OTHERS  2000000000u /* of any other */
#define HEAP_PAUSE_ANY     UINT64_MAX /* whatever it takes: the user said so */

/* What is known of a heap. Times are nanoseconds; 0: not known. */
struct heap_known {
    uint64_t used;        /* bytes in use now */
    uint64_t collect_ns;  /* one plain full collection: processor time of all threads */
    uint64_t mark_ns;     /* the numbering of all objects: processor time of the thread */
    uint64_t mark_paused; /* the same: time that passed */
    uint64_t mark_used;   /* bytes in use then */
    uint64_t arrays;      /* bytes of long arrays, in an engine that is slow with them */
};

/* The longest pause that is allowed. `said`: by the user; 0: nothing. */
uint64_t heap_pause_most(uint64_t said, bool listens);

/* Since the program was stopped. */
struct heap_moment {
    uint64_t passed; /* nanoseconds */
    uint64_t worked; /* nanoseconds of processor time of the thread */
};

/* To number all objects now ends no later than so many nanoseconds after the program was stopped. */
uint64_t heap_pause_mark(const struct heap_known *known, const struct heap_moment *now);

/* A snapshot takes no less than this; 0: nothing is known. */
uint64_t heap_pause_least(const struct heap_known *known);

/* A snapshot takes about as long as this; 0: nothing is known. */
uint64_t heap_pause_usual(const struct heap_known *known);

/* A snapshot that V8 is making. Times are nanoseconds since the program was stopped. */
struct heap_progress {
    uint64_t first;      /* when the first object was to be visited */
    uint64_t visited;    /* when all objects had been visited; 0: not yet */
    uint64_t expected;   /* the whole pause, as last predicted */
};

/* V8 has visited `done` of `total` objects. False: the whole pause would be longer than `most`, and the
 * snapshot should end now. */
bool heap_pause_goes_on(struct heap_progress *progress, const struct heap_moment *now, uint32_t done,
                        uint32_t total, uint64_t most);

#endif /* TARE_PROBE_HEAP_PAUSE_PURE_H */
