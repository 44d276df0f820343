/* told.h - what the adapter of JavaScript tells and is asked for: tare_adapter_v2, _v3, tare_workers_v1. */
#ifndef TARE_PROBE_TOLD_H
#define TARE_PROBE_TOLD_H

#include <stdbool.h>
#include <stdint.h>

uint64_t told_gauge(unsigned gauge); /* as last told; 0: never */
bool told_in_charge(void); /* may this thread serve what is asked of the engine? */
bool told_collect(void); /* has this thread's engine collect. False: it may not be asked here */
/* Has its heap written to `path` if no more than `most` bytes are in use (0: any). *since: as in
 * struct tare_adapter_heap. False: it was not. */
bool told_snapshot(const char *path, uint64_t most, uint32_t *since);
void told_reset(void);   /* a new process */

#endif /* TARE_PROBE_TOLD_H */
