/* confinement.h - how many system call filters (seccomp) apply to this process. */
#ifndef TARE_BASE_CONFINEMENT_H
#define TARE_BASE_CONFINEMENT_H

#include <stdint.h>

/* Read from /proc/self/status with open, read and close alone, which every program calls when it
 * starts. Kernels before 5.9 do not count filters; there the result is the mode: 0 without a
 * filter, 2 with any. Also 0 if it cannot be read. No heap. */
uint32_t confinement_read(void);

#endif /* TARE_BASE_CONFINEMENT_H */
