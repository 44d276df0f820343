/* search_proof.h - did this search work? Child only.
 *
 * That nothing points to a block is said only by a search that has read all memory which may hold
 * pointers, and that has found what is certainly in use: old blocks of other sites, and the tables of
 * modules' variables. Where it cannot show that, a site whose blocks it did not find gets a reason
 * instead of an answer. A path that was found needs no proof.
 */
#ifndef TARE_PROBE_SEARCH_PROOF_H
#define TARE_PROBE_SEARCH_PROOF_H

#include "probe/graph.h"

/* For all sites of the task, when they have been answered and before anything is forgotten. */
void search_proof(struct graph *graph);

#endif /* TARE_PROBE_SEARCH_PROOF_H */
