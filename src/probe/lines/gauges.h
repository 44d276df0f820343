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

/* What the adapter reports, by a number of ledger/gauges.def: a value, or where it lies (NULL: no more). */
void gauges_set(uint32_t gauge, uint64_t value);
void gauges_set_at(uint32_t gauge, const double *where);
uint64_t gauges_reported(unsigned gauge); /* the latest; 0: never */

void gauges_fill(uint64_t gauges[LEDGER_GAUGES]);
void gauges_forked(void); /* a new process */

#endif /* TARE_PROBE_GAUGES_H */
