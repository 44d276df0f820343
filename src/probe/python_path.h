/* python_path.h - the path from a root to a block, in words; child only. */
#ifndef TARE_PROBE_PYTHON_PATH_H
#define TARE_PROBE_PYTHON_PATH_H

#include "probe/graph.h"

/* Fills the site's owners; none when no Python object is on the way. */
void python_path_write(const struct graph *graph, thing target, uint32_t depth,
                       struct search_site *site);

#endif /* TARE_PROBE_PYTHON_PATH_H */
