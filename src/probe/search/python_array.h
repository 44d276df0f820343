/* python_array.h - finds the array whose elements a block holds: a NumPy array or a PyTorch
 * tensor; child only. An object or native tensor is believed when its own pointer leads into the
 * block. */
#ifndef TARE_PROBE_PYTHON_ARRAY_H
#define TARE_PROBE_PYTHON_ARRAY_H

#include "probe/search/graph.h"

/* `holder`: an object or block on the path to the block [start, end). False: the block is not
 * its array. */
bool python_array_of(const struct graph *graph, thing holder, uintptr_t start, uintptr_t end,
                     struct search_array *out);

#endif /* TARE_PROBE_PYTHON_ARRAY_H */
