/* refusal.c - see refusal.h. */
#include "probe/serve/refusal.h"

#include <stdio.h>

#include "ledger/mailbox.h"
#include "ledger/unsearched.h"
#include "probe/core/raw.h"
#include "probe/core/state.h"

#define RECORDS_MOST 48 /* of the table's 256: what was found needs it more */

static uint64_t noted; /* a bit for each reason */
static unsigned records;

void refusal_forked(void)
{
    noted = 0;
    records = 0;
}

void refusal_note(struct ledger *ledger, uint32_t reason, uint64_t resident, uint64_t pause_ns)
{
    char text[192];

    if (!unsearched_text(reason) || noted & 1ull << reason)
        return;
    noted |= 1ull << reason;
    if (reason == UNSEARCHED_pause)
        (void)snprintf(text, sizeof(text),
                       "Holders were not searched while the program ran: a copy of this %.1f GB process "
                       "would have paused it for about %llu ms.",
                       (double)resident / (1 << 30), (unsigned long long)(pause_ns / 1000000));
    else
        (void)snprintf(text, sizeof(text), "Holders were not searched: %s.", unsearched_text(reason));
    ledger_note(ledger, state_ordinal(), text);
}

void refusal_write(struct ledger *ledger, const uint64_t argument[4], uint32_t reason,
                   uint64_t resident, uint64_t pause_ns)
{
    struct holder_record record = {.time = raw_now(),
                                   .ordinal = state_ordinal(),
                                   .state = HOLDER_FAILED,
                                   .pause_ns = pause_ns,
                                   .reason = reason};

    for (unsigned i = 0; i < MAILBOX_SITES && records < RECORDS_MOST; i++) {
        record.site = mailbox_site(argument, i);
        if (record.site == 0 || record.site > ledger_entry(ledger, SECTION_sites)->used)
            continue;
        records++;
        (void)ledger_append(ledger, SECTION_holders, &record);
    }
    if (reason != UNSEARCHED_spent) /* that comes late, and again at the end there is time */
        refusal_note(ledger, reason, resident, pause_ns);
}
