/* device_memory.h - memory of devices (GPUs): exact totals, samples, and what the ledger says of each device.
 *
 * Two layers report here. The driver layer (driver.h) sees what the process takes from a device and gives
 * back. A framework's pool takes large segments and hands out blocks of them; the tensor layer sees those
 * blocks. So what a pool takes is `taken`, what it hands out is `used`, and what is taken outside of a pool
 * is both. Addresses are the device's; nothing here reads them. Any thread; errno is kept.
 */
#ifndef TARE_PROBE_DEVICE_MEMORY_H
#define TARE_PROBE_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/writer.h"

#define DEVICES_MOST LEDGER_DEVICES

/* The driver layer. `frame`: the frame address of the hook, where the stack begins. What is taken counts as
 * outside of a pool until a pool hands a block out of it (driver_blocks_claim); `pool`: that was so. */
void device_memory_taken(enum device_kind kind, unsigned device, uint64_t address, uint64_t bytes,
                         const void *frame);
void device_memory_given_back(unsigned device, uint64_t address, uint64_t bytes, bool pool);

/* The driver refused a request, or a framework has no memory for one. `free`: bytes that are free on the
 * device, 0: not known. */
void device_memory_refused(enum device_kind kind, unsigned device, uint64_t bytes, uint64_t free);

/* Memory of the host that is pinned for a device. Where the program's heap or a mapping has it, it is counted
 * there as well. */
void device_memory_pinned(uint64_t bytes);
void device_memory_unpinned(uint64_t bytes);

/* The tensor layer: a block of a framework's pool. `kind` as far as it is known: DEVICE_GPU. */
void device_memory_handed_out(enum device_kind kind, unsigned device, uint64_t address, uint64_t bytes,
                              const void *frame);
void device_memory_returned(unsigned device, uint64_t address, uint64_t bytes);

/* What the pool says it has taken from this device in total. It counts instead of what the driver layer
 * saw. */
void device_memory_pool(unsigned device, uint64_t bytes);

/* What a framework says of a device when it is asked. */
struct device_description {
    uint32_t index;               /* number of the device */
    const char *name;             /* NULL: not known */
    uint64_t memory;              /* bytes of memory that it has; 0: not known */
    uint64_t returnable, pinned;  /* as in struct device_record */
    uint64_t pinning;             /* address of the block that keeps most of `pinned`; 0: not known */
    uint64_t roles[DEVICE_ROLES]; /* as in struct device_record */
};
void device_memory_describe(struct ledger *ledger, const struct device_description *about);

/* Is any device's memory seen? */
bool device_memory_is_seen(void);

/* With the record of a step: the gauges, and the records of the devices. Where nothing is seen, the first
 * record has what an adapter says in the gauges. */
void device_memory_gauges(uint64_t gauges[LEDGER_GAUGES]);
void device_memory_write(struct ledger *ledger, const uint64_t gauges[LEDGER_GAUGES]);

void device_memory_forked(void); /* a new process has no memory on a device */

#endif /* TARE_PROBE_DEVICE_MEMORY_H */
