/* adapter_frameworks.c - see adapter_frameworks.h. */
#include "probe/entry/adapter_frameworks.h"

#include <errno.h>

#include "probe/entry/hooks_tensorflow.h"
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
