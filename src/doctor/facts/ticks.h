/* ticks.h - the names of clocks and their ticks, from the table ledger/clocks.def.
 *
 * Any other number is an unknown clock. Its ticks are called steps.
 */
#ifndef TARE_DOCTOR_TICKS_H
#define TARE_DOCTOR_TICKS_H

#include <stdint.h>

#include <stdbool.h>

#include "ledger/layout.h"

#define CLOCK_NONE ((enum clock_id)LEDGER_CLOCKS) /* no clock was chosen */

const char *clock_name(enum clock_id clock); /* as in clocks.def and in the JSON; NULL: none */
const char *clock_name_shown(enum clock_id clock); /* the same for a sentence; "none" if there is none */

/* For sentences: the name of one tick, of `count` ticks, and the unit that rates are per. For
 * time these are "slice", "slices" and "second". */
const char *clock_tick_name(enum clock_id clock);
const char *clock_ticks_name(enum clock_id clock, uint64_t count);
const char *clock_ticks_shown(enum clock_id clock); /* "optimizer steps", "turns of the event loop" */
const char *clock_rate_name(enum clock_id clock);

/* Each tick is counted. Turns of a Python loop are seen by sampling, so some are missed. */
bool clock_is_exact(enum clock_id clock);

/* For fields that programs read: "second" for time and "step" for every other clock. */
const char *clock_rate_field(enum clock_id clock);

#endif /* TARE_DOCTOR_TICKS_H */
