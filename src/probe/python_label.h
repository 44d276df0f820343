/* python_label.h - what one Python object calls another that it refers to; child only. */
#ifndef TARE_PROBE_PYTHON_LABEL_H
#define TARE_PROBE_PYTHON_LABEL_H

#include <stdint.h>

#include "probe/graph.h"

#define LABEL_AHEAD 4

/* chain[0] refers to chain[1], that to chain[2] …; 0 where no object follows. Fills the step that leads
 * on from chain[0] and returns how many objects it takes: an attribute leads through the dictionary
 * that holds it. A kind of 0: there is nothing to be said of this one. */
unsigned python_label(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                      struct search_owner *step);

/* A variable of a running function, or one of its values in use. */
void python_label_local(const struct graph *graph, uintptr_t frame, uintptr_t value,
                        struct search_owner *step);

/* Type, length, bound and counts of the object that a step leads to. */
void python_label_describe(const struct graph *graph, uintptr_t object, struct search_owner *step);

/* How many things it may hold, as it was declared (deque, lru_cache); 0: as many as there are. */
uint64_t python_label_bound(const struct graph *graph, uintptr_t object);

/* Where a frame stands: name, file and line. */
void python_label_place(const struct graph *graph, uintptr_t frame, struct search_owner *step);

#endif /* TARE_PROBE_PYTHON_LABEL_H */
