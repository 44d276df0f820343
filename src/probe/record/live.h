/* live.h - the sampled blocks now alive: address to record, in the ledger itself. */
#ifndef TARE_PROBE_LIVE_H
#define TARE_PROBE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* `maybe`: there may be an entry for this address already, whose release was not seen. It is closed,
 * returned in *old (weight 0: there was none) and counted by the caller. False: the table is full. */
bool live_insert(struct ledger *ledger, uint64_t address, const struct block_record *block,
                 bool maybe, struct block_record *old);

/* Reads the entry. False: it does not exist. */
bool live_find(const struct ledger *ledger, uint64_t address, struct block_record *out);

/* Removes the entry. False: it does not exist. */
bool live_remove(struct ledger *ledger, uint64_t address, struct block_record *out);

#endif /* TARE_PROBE_LIVE_H */
