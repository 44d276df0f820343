/* confinement.h - how many filters of system calls this process lives under. */
#ifndef TARE_BASE_CONFINEMENT_H
#define TARE_BASE_CONFINEMENT_H

#include <stdint.h>

/* From /proc/self/status, by open, read and close alone: calls that every program makes when it starts.
 * Kernels before 5.9 do not count filters: there the answer is the mode, 0 without a filter and 2 with
 * any. 0 also when it cannot be read. No heap. */
uint32_t confinement_read(void);

#endif /* TARE_BASE_CONFINEMENT_H */
