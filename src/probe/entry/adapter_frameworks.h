/* adapter_frameworks.h - what the probe does for adapters of frameworks. adapter_abi.h says what each call is
 * for.
 */
#ifndef TARE_PROBE_ADAPTER_FRAMEWORKS_H
#define TARE_PROBE_ADAPTER_FRAMEWORKS_H

#include <stdint.h>

struct tare_device; /* adapter_abi.h */

int adapter_pool_find(void);
int64_t adapter_pool_read(int what);
void adapter_launch(void);
void adapter_trace(const char *function, const char *file, int line, const char *call_file,
                   int call_line, const char *argument, int change, int more, int live);
void adapter_registry(const char *name, int count);
void adapter_device_born(uint32_t device, uint64_t address, uint64_t bytes);
void adapter_device_says(const struct tare_device *about);

#endif /* TARE_PROBE_ADAPTER_FRAMEWORKS_H */
