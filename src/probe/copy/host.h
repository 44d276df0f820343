/* host.h - what a program does that a copy of it would disturb. */
#ifndef TARE_PROBE_HOST_H
#define TARE_PROBE_HOST_H

#include <stdbool.h>
#include <stdint.h>

uint32_t host_forbids_copy(void); /* enum unsearched; 0: nothing is known against it */

/* It waits for children of every kind, ours too. Async-signal-safe. */
void host_waits_for_all(void);
bool host_is_waiting(void);

#endif /* TARE_PROBE_HOST_H */
