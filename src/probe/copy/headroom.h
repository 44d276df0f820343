/* headroom.h - how much memory is left below the nearest limit.
 *
 * The doctor reads it once a second and writes it into the bell; what the program has taken since is not in
 * that number, and is taken off here.
 */
#ifndef TARE_PROBE_HEADROOM_H
#define TARE_PROBE_HEADROOM_H

#include <stdint.h>

#include "ledger/mailbox.h"

/* To be called often. `now`: CLOCK_MONOTONIC. */
void headroom_look(const struct bell *bell, uint64_t now);

/* Bytes, at least 1; 0: not known. `bell` may be NULL. */
uint64_t headroom_now(const struct bell *bell);

void headroom_forked(void); /* in a forked child */

#endif /* TARE_PROBE_HEADROOM_H */
