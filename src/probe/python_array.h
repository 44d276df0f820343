/* python_array.h - what a block holds the elements of: an array of NumPy, a tensor of PyTorch; child
 * only. An object or native tensor is believed when its own pointer leads into the block. */
#ifndef TARE_PROBE_PYTHON_ARRAY_H
#define TARE_PROBE_PYTHON_ARRAY_H

#include "probe/graph.h"

/* `holder`: an object or a block on the way to the block [start, end). False: it is no array of it. */
bool python_array_of(const struct graph *graph, thing holder, uintptr_t start, uintptr_t end,
                     struct search_array *out);

#endif /* TARE_PROBE_PYTHON_ARRAY_H */
