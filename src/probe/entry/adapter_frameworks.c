/* adapter_frameworks.c - see adapter_frameworks.h. */
#include "probe/entry/adapter_frameworks.h"

#include <errno.h>

#include "probe/core/thread.h"
#include "probe/devices/device_memory.h"
#include "probe/entry/adapter.h"
#include "probe/entry/adapter_abi.h"
#include "probe/entry/hooks.h"
#include "probe/entry/life.h"
#include "probe/frameworks/frameworks.h"
#include "probe/record/pool.h"
#include "probe/record/stack.h"

int adapter_pool_find(void)
{
    const int saved = errno;
    const bool there = hooks_tensorflow_resolve();

    errno = saved;
    return there;
}

int64_t adapter_pool_read(int what)
{
    struct pool_totals totals;

    pool_totals(&totals);
    return (int64_t)(what == 0 ? totals.live : what == 1 ? totals.reserved : totals.born);
}

void adapter_launch(void)
{
    stack_hand_off(__builtin_frame_address(0));
}

void adapter_trace(const char *function, const char *file, int line, const char *call_file,
                    int call_line, const char *argument, int change, int more, int live)
{
    life_begin();
    frameworks_trace(function, file, line, call_file, call_line, argument, change, more, live);
}

void adapter_registry(const char *name, int count)
{
    life_begin();
    frameworks_registry(name, count);
}

/* ---- devices ---- */

void adapter_device_born(uint32_t device, uint64_t address, uint64_t bytes)
{
    life_begin();
    device_memory_handed_out(DEVICE_GPU, device, address, bytes, __builtin_frame_address(0));
}

void adapter_device_says(const struct tare_device *about)
{
    const struct device_description description = {
        .index = (uint32_t)about->index,
        .name = about->name,
        .memory = about->memory,
        .returnable = about->returnable,
        .pinned = about->pinned,
        .pinning = about->pinning,
        .roles = {[PARAMETERS_ROLE] = about->parameters,
                  [GRADIENTS_ROLE] = about->gradients,
                  [OPTIMIZER_ROLE] = about->optimizer}};
    const int saved = errno;
    struct thread *thread;
    struct ledger *ledger = adapter_enter(&thread);

    if (ledger) {
        device_memory_describe(ledger, &description);
        thread->busy = 0;
    }
    errno = saved;
}
