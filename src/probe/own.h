/* own.h - the private memory that the probe takes for itself; all of it comes from here. */
#ifndef TARE_PROBE_OWN_H
#define TARE_PROBE_OWN_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed private pages that a fork wipes: a child begins with none of its parent's contents. NULL:
 * refused, or the kernel cannot wipe. */
void *own_map(size_t bytes);

uint64_t own_bytes(void);    /* taken so far */
uint64_t own_resident(void); /* of these, resident; reads the page map, cold */

#endif /* TARE_PROBE_OWN_H */
