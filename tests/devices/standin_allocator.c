/* standin_allocator.c - what a device allocator of PyTorch reports of its blocks, without a device.
 *
 * libc10 defines the report; its allocators call it through their import table, as this library does. The
 * blocks have addresses of no memory: whoever reads one crashes.
 *
 *     standin_take(device, bytes)     a block is handed out; returns its address
 *     standin_give(device, address, bytes)
 *     standin_refuse(device, bytes)   the device has no memory left for a block
 *     standin_reported()              how many reports reached the original functions
 */
#include <stdatomic.h>
#include <stdint.h>

#define REPORT        _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE
#define OUT_OF_MEMORY _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE
#define FIRST         0x302000000ull
#define BLOCK         512

struct device {
    int8_t type, index;
};

static atomic_ulong next = FIRST, used[4], reported;

void REPORT(void *block, int64_t bytes, uint64_t allocated, uint64_t reserved, struct device device);

__attribute__((visibility("default"))) void REPORT(void *block, int64_t bytes, uint64_t allocated,
                                                   uint64_t reserved, struct device device)
{
    (void)block;
    (void)bytes;
    (void)allocated;
    (void)reserved;
    (void)device;
    reported++;
}

void OUT_OF_MEMORY(int64_t bytes, uint64_t allocated, uint64_t reserved, struct device device);

__attribute__((visibility("default"))) void OUT_OF_MEMORY(int64_t bytes, uint64_t allocated,
                                                          uint64_t reserved, struct device device)
{
    (void)bytes;
    (void)allocated;
    (void)reserved;
    (void)device;
    reported++;
}

static uint64_t reserved_for(int device)
{
    return (used[device] + (2u << 20) - 1) & ~((2ull << 20) - 1);
}

uint64_t standin_take(int device, uint64_t bytes)
{
    const uint64_t address = atomic_fetch_add(&next, (bytes + BLOCK - 1) & ~(uint64_t)(BLOCK - 1));

    used[device] += bytes;
    REPORT((void *)(uintptr_t)address, (int64_t)bytes, used[device], reserved_for(device),
           (struct device){1, (int8_t)device});
    return address;
}

void standin_give(int device, uint64_t address, uint64_t bytes)
{
    used[device] -= bytes;
    REPORT((void *)(uintptr_t)address, -(int64_t)bytes, used[device], reserved_for(device),
           (struct device){1, (int8_t)device});
}

void standin_refuse(int device, uint64_t bytes)
{
    OUT_OF_MEMORY((int64_t)bytes, used[device], reserved_for(device), (struct device){1, (int8_t)device});
}

unsigned long standin_reported(void)
{
    return reported;
}
