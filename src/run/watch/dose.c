/* dose.c - see dose.h. */
#include "run/watch/dose.h"

void dose_give(struct dose *dose, struct mailbox *mail, unsigned kind)
{
    const uint64_t now = mailbox_clock();
    uint64_t answer[4];
    int slot;

    if (kind == 0)
        return;
    if (dose->next == 0)
        dose->next = now + DOSE_FIRST_NS;
    if (dose->slot > 0) {
        const enum request_state state = mailbox_collect(mail, dose->slot - 1, answer);

        if (state == REQUEST_ASKED || state == REQUEST_TAKEN)
            return;
        dose->slot = 0;
    }
    if (now < dose->next)
        return;
    slot = mailbox_ask(mail, (enum request_kind)kind, (const uint64_t[4]){0}, now + DOSE_EVERY_NS);
    dose->slot = slot >= 0 ? slot + 1 : 0;
    dose->next = now + DOSE_EVERY_NS;
}
