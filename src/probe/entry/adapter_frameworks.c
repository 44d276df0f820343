/* adapter_frameworks.c - the door for adapters of frameworks: tare_frameworks_v1, _v2. See adapter_abi.h. */
#include <errno.h>

#include "probe/core/export.h"
#include "probe/entry/adapter_abi.h"
#include "probe/entry/hooks_tensorflow.h"
#include "probe/entry/life.h"
#include "probe/frameworks/called_type.h"
#include "probe/frameworks/counted_types.h"
#include "probe/frameworks/frameworks.h"
#include "probe/record/pool.h"
#include "probe/record/stack.h"

static int resolve(void)
{
    const int saved = errno;
    const bool there = hooks_tensorflow_resolve();

    errno = saved;
    return there;
}

static int64_t pool(int what)
{
    struct pool_totals totals;

    pool_totals(&totals);
    return (int64_t)(what == 0 ? totals.live : what == 1 ? totals.reserved : totals.born);
}

static void launch(void)
{
    stack_hand_off(__builtin_frame_address(0));
}

static void trace(const char *function, const char *file, int line, const char *call_file,
                  int call_line, const char *argument, int change, int more, int live)
{
    life_begin();
    frameworks_trace(function, file, line, call_file, call_line, argument, change, more, live);
}

static void registry(const char *name, int count)
{
    life_begin();
    frameworks_registry(name, count);
}

static void note(const char *text)
{
    life_begin();
    frameworks_note(text);
}

EXPORT extern const struct tare_frameworks tare_frameworks_v1;
const struct tare_frameworks tare_frameworks_v1 = {.resolve = resolve,
                                                   .pool = pool,
                                                   .launch = launch,
                                                   .trace = trace,
                                                   .registry = registry,
                                                   .count_type = counted_type_add,
                                                   .note = note};

EXPORT extern const struct tare_frameworks_more tare_frameworks_v2;
const struct tare_frameworks_more tare_frameworks_v2 = {.clock_calls = called_type_add};
