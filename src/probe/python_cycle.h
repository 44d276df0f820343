/* python_cycle.h - the way from an object back to itself; child only. */
#ifndef TARE_PROBE_PYTHON_CYCLE_H
#define TARE_PROBE_PYTHON_CYCLE_H

#include "probe/graph.h"

#define CYCLE_MOST 8 /* objects of one */

/* The shortest: cycle[0] refers to cycle[1], …, the last to cycle[0] again. Returns how many there are;
 * 0: none is found nearby, or the object is not the collector's. */
unsigned python_cycle(const struct graph *graph, uintptr_t object, uintptr_t cycle[CYCLE_MOST]);

#endif /* TARE_PROBE_PYTHON_CYCLE_H */
