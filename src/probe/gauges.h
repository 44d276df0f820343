/* gauges.h - numbers of an interpreter that go into each step record (ledger/gauges.def).
 *
 * Reading them takes its lock and up to a millisecond, so that they are read at ticks of the adapter,
 * and only as often as costs little: in between they keep their value.
 */
#ifndef TARE_PROBE_GAUGES_H
#define TARE_PROBE_GAUGES_H

#include <stdint.h>

#include "ledger/writer.h"

/* At a tick, with the interpreter's lock, before the step is recorded. */
void gauges_read(enum clock_id clock);
void gauges_read_now(void); /* whatever it costs: at the end */

/* At the same tick, after it was recorded: small objects that plainly grow are followed. */
void gauges_act(struct ledger *ledger);

/* Where nothing ticks, with the interpreter's lock: its arenas that plainly grow are reason enough. */
void gauges_arenas(struct ledger *ledger);

void gauges_fill(uint64_t gauges[LEDGER_GAUGES]);
void gauges_reset(void); /* a new process */

#endif /* TARE_PROBE_GAUGES_H */
