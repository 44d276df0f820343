/* search_answer.h - turns the marks into the answer for a site's blocks; child only. */
#ifndef TARE_PROBE_SEARCH_ANSWER_H
#define TARE_PROBE_SEARCH_ANSWER_H

#include "probe/search/graph.h"

/* Fills the site's answer and its path. */
void search_answer(struct graph *graph, struct search_site *site);

/* Nothing will be added to the answer. */
void search_answer_publish(struct search_site *site);

#endif /* TARE_PROBE_SEARCH_ANSWER_H */
