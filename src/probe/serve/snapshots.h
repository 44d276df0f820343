/* snapshots.h - how long a heap snapshot may stop the program, and why one was not taken. */
#ifndef TARE_PROBE_SNAPSHOTS_H
#define TARE_PROBE_SNAPSHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

/* js_pause_most and js_no_snapshot of entry/adapter_abi.h. */
uint64_t snapshots_pause_most(bool listens);
void snapshots_refuse(uint32_t reason, uint64_t expected, uint64_t most);

void snapshots_begin(void); /* one is wanted now: nothing was refused yet */
/* Records the refusal, if there was one, with the time for which it has stopped the program. Each reason is
 * recorded once without such a time. */
void snapshots_record(struct ledger *ledger, uint64_t time, uint64_t pause_ns);

void snapshots_forked(void); /* a new process */

#endif /* TARE_PROBE_SNAPSHOTS_H */
