/* search_answer.h - from what was marked to what is said of a site's blocks; child only. */
#ifndef TARE_PROBE_SEARCH_ANSWER_H
#define TARE_PROBE_SEARCH_ANSWER_H

#include "probe/graph.h"

/* Whether nine tenths of each site's blocks are reached: then the rest need not be looked for. */
bool search_answer_found(const struct graph *graph);

/* Fills the site's answer and its path. */
void search_answer(struct graph *graph, struct search_site *site);

/* How many of the site's blocks are marked. */
uint32_t search_answer_reached(const struct graph *graph, const struct search_site *site);

/* Nothing will be added to the answer. */
void search_answer_publish(struct search_site *site);

#endif /* TARE_PROBE_SEARCH_ANSWER_H */
