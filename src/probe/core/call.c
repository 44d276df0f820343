/* call.c - see call.h. */
#include "probe/core/call.h"

#include "probe/core/state.h"
#include "probe/core/thread.h"

struct thread *call_enter(void)
{
    struct thread *thread;

    if (state_is_off())
        return NULL;
    thread = thread_self ? thread_self : thread_attach();
    if (!thread || thread->busy)
        return NULL;
    if (thread->alive != THREAD_ALIVE)
        state_new_process(thread);
    thread->busy = 1;
    return thread;
}
