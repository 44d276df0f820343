/* python_describe.h - what a step of a path leads to; child only. */
#ifndef TARE_PROBE_PYTHON_DESCRIBE_H
#define TARE_PROBE_PYTHON_DESCRIBE_H

#include <stdint.h>

#include "probe/search/graph.h"

/* Type, length, bound and counts of the object that a step leads to. */
void python_describe(const struct graph *graph, uintptr_t object, struct search_owner *step);

/* How many things it may hold, as it was declared (deque, lru_cache); 0: as many as there are. */
uint64_t python_describe_bound(const struct graph *graph, uintptr_t object);

#endif /* TARE_PROBE_PYTHON_DESCRIBE_H */
