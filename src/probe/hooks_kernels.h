/* hooks_kernels.h - TensorFlow's cache of kernels: one for each operation with its attributes.
 *
 * A Keras variable has a name of its own among the attributes, so that every new one adds a kernel, about
 * 35 KB, which stays until the cache is cleared. Nothing in Python tells how many there are.
 */
#ifndef TARE_PROBE_HOOKS_KERNELS_H
#define TARE_PROBE_HOOKS_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

/* How many there are now. False: none was ever seen. */
bool hooks_kernels_count(uint64_t *count);

#endif /* TARE_PROBE_HOOKS_KERNELS_H */
