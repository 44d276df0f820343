/* midway.c - see midway.h. */
#include "probe/midway.h"

#include "probe/adapter.h"
#include "probe/export.h"
#include "probe/stack_js.h"
#include "probe/step.h"
#include "probe/thread.h"

static __thread bool now;

bool midway_is_now(void)
{
    return now;
}

/* Busy: the adapter's own script is running, and its collections are not counted. */
static bool begin(void)
{
    if (now || !thread_self || thread_self->busy || !stack_js_may_ask())
        return false;
    now = true;
    return true;
}

/* What fills a heap of JavaScript hardly ever calls the allocator: time would stand still. */
static void slice(void)
{
    struct thread *thread = thread_self;

    if (thread->busy)
        return;
    thread->busy = 1;
    step_slice();
    thread->busy = 0;
}

static void end(void)
{
    slice();
    adapter_midway();
    now = false;
}

EXPORT extern const struct tare_midway tare_midway_v1;
const struct tare_midway tare_midway_v1 = {.begin = begin, .end = end, .over = step_over};
