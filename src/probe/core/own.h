/* own.h - the private memory that the probe takes for itself; all of it comes from here. */
#ifndef TARE_PROBE_OWN_H
#define TARE_PROBE_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed private pages that a fork wipes: a child begins with none of its parent's contents. NULL:
 * refused, or the kernel cannot wipe. */
void *own_map(size_t bytes);

uint64_t own_bytes(void);    /* taken so far */

/* The areas that were taken, by number from 0 on. False: there are no more. An area that is not known
 * completely yet has start 0. */
bool own_area(uint32_t number, uintptr_t *start, uintptr_t *end);

#endif /* TARE_PROBE_OWN_H */
