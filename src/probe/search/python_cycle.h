/* python_cycle.h - a path from an object back to itself; child only. */
#ifndef TARE_PROBE_PYTHON_CYCLE_H
#define TARE_PROBE_PYTHON_CYCLE_H

#include "probe/search/graph.h"

#define CYCLE_MOST 8 /* objects of one */

/* The shortest cycle: each element refers to the next, and the last to cycle[0]. Returns the
 * number of objects; 0: none is found nearby, or the collector does not track the object. */
unsigned python_cycle(const struct graph *graph, uintptr_t object, uintptr_t cycle[CYCLE_MOST]);

#endif /* TARE_PROBE_PYTHON_CYCLE_H */
