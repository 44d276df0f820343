/* account.h - what the resident size of private memory is made of; child only. */
#ifndef TARE_PROBE_ACCOUNT_H
#define TARE_PROBE_ACCOUNT_H

#include "probe/search/graph.h"

/* Fills the task's record, page by page. */
void account_take(const struct graph *graph);

#endif /* TARE_PROBE_ACCOUNT_H */
