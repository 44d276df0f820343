/* hooks_torch.c - what PyTorch's device allocators report: each block they hand out and take back, and a
 * request for which the device has no memory left.
 *
 * They call it with their lock held. The original passes it on to PyTorch's profiler, and does
 * nothing else; where it is not known yet, nothing is passed on. It is not looked up here, because that takes
 * the loader's lock: the adapter asks for that when PyTorch was imported. A program without an adapter is a
 * C++ program, in which libc10 is loaded at the start, so the second report looks it up.
 */
#include "probe/entry/hooks.h"

#include <link.h>

#include "probe/core/elf_symbol.h"
#include "probe/core/export.h"
#include "probe/devices/device_memory.h"
#include "probe/entry/life.h"

#define REPORT_NOW    "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE" /* from 1.13 on */
#define REPORT_BEFORE "_ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE"
#define OUT_OF_MEMORY "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE"

#define DEVICE_TYPE_CPU 0

/* c10::Device, which is passed by value in one register. */
struct torch_device {
    int8_t type;
    int8_t index; /* -1: the current one */
};

typedef void report_fn(void *block, int64_t bytes, uint64_t allocated, uint64_t reserved,
                       struct torch_device device);

typedef void refusal_fn(int64_t bytes, uint64_t allocated, uint64_t reserved, struct torch_device device);

static uintptr_t originals[2]; /* atomic: of REPORT_NOW and of REPORT_BEFORE, a report_fn; 0: not known */
static uintptr_t refusal;      /* atomic: of OUT_OF_MEMORY, a refusal_fn; 0: not known */
static bool adapted;            /* atomic: an adapter looks them up */
static uint32_t reports;        /* atomic: while there is no original */

static void take(uintptr_t *to, const struct symbol_table *table, const char *name)
{
    const uintptr_t address = elf_symbol_find(table, name);

    if (address)
        __atomic_store_n(to, address, __ATOMIC_RELEASE);
}

static int look_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
    const uintptr_t ours = (uintptr_t)&originals;
    struct symbol_table table;

    (void)size;
    (void)data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

        if (segment->p_type == PT_LOAD && ours - (info->dlpi_addr + segment->p_vaddr) < segment->p_memsz)
            return 0; /* the probe itself */
    }
    if (elf_symbol_table(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, &table)) {
        take(&originals[0], &table, REPORT_NOW);
        take(&originals[1], &table, REPORT_BEFORE);
        take(&refusal, &table, OUT_OF_MEMORY);
    }
    return 0;
}

void hooks_torch_resolve(void)
{
    __atomic_store_n(&adapted, true, __ATOMIC_RELAXED);
    (void)dl_iterate_phdr(look_in_module, NULL);
}

static unsigned number_of(struct torch_device device)
{
    return device.index > 0 ? (unsigned)device.index : 0;
}

static void note(void *block, int64_t bytes, uint64_t reserved, struct torch_device device, const void *frame)
{
    const unsigned index = number_of(device);

    if (device.type == DEVICE_TYPE_CPU || bytes == 0)
        return;
    life_begin();
    if (bytes > 0)
        device_memory_handed_out(DEVICE_GPU, index, (uintptr_t)block, (uint64_t)bytes, frame);
    else
        device_memory_returned(index, (uintptr_t)block, -(uint64_t)bytes);
    device_memory_pool(index, reserved);
}

static void pass_on(unsigned which, void *block, int64_t bytes, uint64_t allocated, uint64_t reserved,
                    struct torch_device device)
{
    uintptr_t original = __atomic_load_n(&originals[which], __ATOMIC_ACQUIRE);

    if (!original && !__atomic_load_n(&adapted, __ATOMIC_RELAXED) &&
        __atomic_fetch_add(&reports, 1, __ATOMIC_RELAXED) == 1) {
        (void)dl_iterate_phdr(look_in_module, NULL);
        original = __atomic_load_n(&originals[which], __ATOMIC_ACQUIRE);
    }
    if (original)
        ((report_fn *)original)(block, bytes, allocated, reserved, device);
}

EXPORT report_fn torch_report_now __asm__(REPORT_NOW);
EXPORT report_fn torch_report_before __asm__(REPORT_BEFORE);
EXPORT refusal_fn torch_out_of_memory __asm__(OUT_OF_MEMORY);

void torch_report_now(void *block, int64_t bytes, uint64_t allocated, uint64_t reserved,
                      struct torch_device device)
{
    note(block, bytes, reserved, device, __builtin_frame_address(0));
    pass_on(0, block, bytes, allocated, reserved, device);
}

void torch_report_before(void *block, int64_t bytes, uint64_t allocated, uint64_t reserved,
                         struct torch_device device)
{
    note(block, bytes, reserved, device, __builtin_frame_address(0));
    pass_on(1, block, bytes, allocated, reserved, device);
}

void torch_out_of_memory(int64_t bytes, uint64_t allocated, uint64_t reserved, struct torch_device device)
{
    const uintptr_t original = __atomic_load_n(&refusal, __ATOMIC_ACQUIRE);

    if (device.type != DEVICE_TYPE_CPU && bytes > 0)
        device_memory_refused(DEVICE_GPU, number_of(device), (uint64_t)bytes, 0);
    if (original)
        ((refusal_fn *)original)(bytes, allocated, reserved, device);
}
