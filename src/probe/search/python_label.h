/* python_label.h - what one Python object calls another that it refers to; child only. */
#ifndef TARE_PROBE_PYTHON_LABEL_H
#define TARE_PROBE_PYTHON_LABEL_H

#include <stdint.h>

#include "probe/search/graph.h"

#define LABEL_AHEAD 4

/* chain[0] refers to chain[1], chain[1] to chain[2], and so on; 0 where no object follows. Fills
 * the step that leads on from chain[0] and returns how many objects it takes: an attribute leads
 * through the dictionary that holds it. If the step's kind is 0, this step is left out. */
unsigned python_label(const struct graph *graph, const uintptr_t chain[LABEL_AHEAD],
                      struct search_owner *step);

/* A variable of a running function, or one of its values in use. */
void python_label_local(const struct graph *graph, uintptr_t frame, uintptr_t value,
                        struct search_owner *step);

/* Where a frame stands: name, file and line. */
void python_label_place(const struct graph *graph, uintptr_t frame, struct search_owner *step);

#endif /* TARE_PROBE_PYTHON_LABEL_H */
