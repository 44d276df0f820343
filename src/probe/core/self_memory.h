/* self_memory.h - reads our own memory without faulting, for addresses that may be invalid.
 *
 * Both ask the kernel, and keep errno. A sandbox may refuse the first; then nothing is read.
 */
#ifndef TARE_PROBE_SELF_MEMORY_H
#define TARE_PROBE_SELF_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many of `size` bytes could be copied from the front. */
size_t self_copy_some(void *to, uintptr_t from, size_t size);

/* Copies all `size` bytes, or returns false. */
bool self_copy(void *to, uintptr_t from, size_t size);

/* The same shape, for memory that is known to be there. */
bool self_copy_known(void *to, uintptr_t from, size_t size);

/* Whether the 8 bytes here can be read. */
bool self_readable(uintptr_t address);

#endif /* TARE_PROBE_SELF_MEMORY_H */
