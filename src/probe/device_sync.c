/* device_sync.c - work that a device had in flight, and what was released when it was done. See adapter.h.
 *
 * The adapter asks the device, and is told later; the program does not stand still meanwhile.
 */
#include <errno.h>

#include "probe/adapter.h"
#include "probe/export.h"
#include "probe/life.h"
#include "probe/raw.h"
#include "probe/step.h"
#include "probe/thread.h"

static struct intervention_record open_sync; /* time 0: none; written by the adapter's thread alone */

static void measure(uint64_t *live, uint64_t *resident)
{
    struct thread_sums sums;

    thread_sum(&sums);
    *live = sums.live_bytes;
    *resident = step_resident();
}

static void sync_begin(void)
{
    const int saved = errno;

    open_sync = (struct intervention_record){
        .kind = INTERVENTION_SYNC, .ordinal = step_ordinal(), .time = raw_now()};
    measure(&open_sync.live_before, &open_sync.resident_before);
    errno = saved;
}

static void sync_end(void)
{
    const int saved = errno;
    struct ledger *ledger = open_sync.time ? life_ledger_now() : NULL;
    const uint64_t steps = step_ordinal() - open_sync.ordinal;

    if (ledger) {
        open_sync.released = steps < UINT32_MAX ? (uint32_t)steps : UINT32_MAX;
        measure(&open_sync.live_after, &open_sync.resident_after);
        (void)ledger_append(ledger, SECTION_interventions, &open_sync);
    }
    open_sync.time = 0;
    errno = saved;
}

EXPORT extern const struct tare_device tare_device_v1;
const struct tare_device tare_device_v1 = {.sync_begin = sync_begin, .sync_end = sync_end};
