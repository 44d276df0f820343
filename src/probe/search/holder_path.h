/* holder_path.h - the path from a root to a block, in words; child only. */
#ifndef TARE_PROBE_HOLDER_PATH_H
#define TARE_PROBE_HOLDER_PATH_H

#include "probe/search/graph.h"

/* Fills the site's owners; none when no Python object is on the path. */
void holder_path_write(const struct graph *graph, thing target, uint32_t depth,
                       struct search_site *site);

#endif /* TARE_PROBE_HOLDER_PATH_H */
