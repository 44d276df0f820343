/* live.h - the sampled blocks now alive: address to record, in the ledger itself. */
#ifndef TARE_PROBE_LIVE_H
#define TARE_PROBE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* An entry that is already there for this address is closed (its release was not seen): it is
 * returned in *old and counted by the caller. False: the table is full. */
bool live_insert(struct ledger *ledger, uint64_t address, const struct block_record *block,
                 struct block_record *old);

/* Takes the entry out. False: there is none. */
bool live_remove(struct ledger *ledger, uint64_t address, struct block_record *out);

#endif /* TARE_PROBE_LIVE_H */
