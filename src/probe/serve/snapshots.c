/* snapshots.c - see snapshots.h. */
#include "probe/serve/snapshots.h"

#include "ledger/mailbox.h"
#include "ledger/unsearched.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"
#include "probe/js/heap_pause_pure.h"

#define CLOSING_NS 200000000u /* of the last round's time, left for the way out */
#define REASONS 64

static uint64_t recorded; /* reasons: a bit for each */
static struct intervention_record refused; /* `kind` 0: nothing was refused */
static bool hurried; /* the end of the program leaves less time than is allowed */

void snapshots_forked(void)
{
    recorded = 0;
    refused = (struct intervention_record){.kind = 0};
    hurried = false;
}

uint64_t snapshots_pause_most(bool listens)
{
    const struct bell *bell = state_bell();
    const struct ledger *ledger = state_ledger_now();
    const struct mailbox *mail = state_mailbox();
    const uint64_t most = heap_pause_most(bell ? bell->max_pause : 0, listens), now = raw_now();
    uint64_t left;

    hurried = false;
    if (bell && (bell->no_snapshot || bell->observe))
        return 0;
    if (most == HEAP_PAUSE_ANY || !ledger || !mail ||
        __atomic_load_n(&ledger->head->state, __ATOMIC_RELAXED) != STATE_LAST_ROUND)
        return most;
    left = mail->round_deadline > now + CLOSING_NS ? mail->round_deadline - CLOSING_NS - now : 1;
    hurried = left < most;
    return hurried ? left : most;
}

void snapshots_begin(void)
{
    refused.kind = 0;
}

void snapshots_refuse(uint32_t reason, uint64_t expected, uint64_t most)
{
    reason = reason == UNSEARCHED_heap_pause && hurried ? UNSEARCHED_heap_late : reason;
    refused = (struct intervention_record){.kind = INTERVENTION_NO_SNAPSHOT,
                                           .unsearched = reason < REASONS ? reason : 0,
                                           .expected_ns = expected,
                                           .most_ns = most};
}

void snapshots_record(struct ledger *ledger, uint64_t time, uint64_t pause_ns)
{
    if (refused.kind == 0 || (recorded >> refused.unsearched & 1 && pause_ns == 0))
        return;
    recorded |= 1ull << refused.unsearched;
    refused.time = time;
    refused.ordinal = state_ordinal();
    refused.pause_ns = pause_ns;
    (void)ledger_append(ledger, SECTION_interventions, &refused);
}
