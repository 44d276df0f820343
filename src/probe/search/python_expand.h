/* python_expand.h - what a Python object refers to; child only. */
#ifndef TARE_PROBE_PYTHON_EXPAND_H
#define TARE_PROBE_PYTHON_EXPAND_H

#include "probe/search/graph.h"

extern const struct graph_language python_expand_language;

/* Reaches everything that the object refers to. */
void python_expand(struct graph *graph, thing object);

/* Reaches objects that others keep in their own memory without showing them to the collector,
 * such as the text of a StringIO: for everything reached so far, and to the end of what that
 * leads to. */
void python_expand_look_inside(struct graph *graph);

/* Reaches blocks whose address is the value of a reached int: libraries give handles to Python
 * as numbers. */
void python_expand_take_numbers(struct graph *graph);

/* Follows the containers with a declared bound, after everything else that is an object. */
void python_expand_open_bounded(struct graph *graph);

#endif /* TARE_PROBE_PYTHON_EXPAND_H */
