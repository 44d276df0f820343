/* targets.h - the blocks that a search must find: survivors of several ages, most of them old.
 *
 * The youngest blocks of a site are held by the work in progress: a variable, a bounded cache. What
 * makes memory grow holds the old ones. In addition there are controls, old blocks of sites outside
 * the request: a search that does not find these does not work in this process.
 */
#ifndef TARE_PROBE_TARGETS_H
#define TARE_PROBE_TARGETS_H

#include "ledger/writer.h"
#include "probe/search/task.h"

/* Fills the task's sites (numbers, targets) and its controls for the sites of a request (mailbox.h); one
 * without sampled blocks is left out. In the program, before the copy is made. */
void targets_choose(struct search_task *task, const struct ledger *ledger, const uint64_t argument[4],
                    uint64_t now);

#endif /* TARE_PROBE_TARGETS_H */
