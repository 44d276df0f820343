/* worker_end.c - a worker of the engine ends, and its heap with it: that is recorded. See adapter.h.
 *
 * Nobody has asked for it, and nothing is done to the program.
 */
#include <errno.h>

#include "probe/adapter.h"
#include "probe/export.h"
#include "probe/life.h"
#include "probe/raw.h"
#include "probe/step.h"
#include "probe/thread.h"

#define TOLD_MOST 64 /* ends of workers; a pool may make thousands */

static unsigned told; /* atomic */

static void append(struct ledger *ledger, uint64_t first, uint64_t latest)
{
    struct intervention_record record = {.kind = INTERVENTION_WORKER,
                                         .time = raw_now(),
                                         .ordinal = step_ordinal(),
                                         .resident_before = first,
                                         .resident_after = latest};
    struct thread_sums sums;

    thread_sum(&sums);
    record.live_before = record.live_after = sums.live_bytes;
    (void)ledger_append(ledger, SECTION_interventions, &record);
}

static void over(uint64_t first, uint64_t latest)
{
    const int saved = errno;
    struct thread *thread = thread_self;
    struct ledger *ledger = life_ledger_now();

    if (!ledger || !thread || thread->busy || __atomic_load_n(&told, __ATOMIC_RELAXED) >= TOLD_MOST ||
        __atomic_fetch_add(&told, 1, __ATOMIC_RELAXED) >= TOLD_MOST)
        return;
    thread->busy = 1;
    append(ledger, first, latest);
    thread->busy = 0;
    errno = saved;
}

EXPORT extern const struct tare_workers_end tare_workers_v2;
const struct tare_workers_end tare_workers_v2 = {.over = over};
