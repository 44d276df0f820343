/* asks.h - ask the processes of a run to collect their garbage, through the mailbox, and report the
 * answers.
 *
 * It is the request that the doctor's rounds send (doctor/ask/round.h), with the same limits: a process
 * answers at one of its steps and refuses once its pauses are used up. Nothing waits for the answer.
 */
#ifndef TARE_LIVE_ASKS_H
#define TARE_LIVE_ASKS_H

#include "live/feed.h"

#define ASKS_DEADLINE_NS 10000000000ull

struct mailbox; /* ledger/mailbox.h */

struct ask {
    struct mailbox *mail; /* owned until the answer is there; NULL: no request is open */
    int slot;             /* of the mailbox */
};

struct asks {
    struct ask list[FEED_PROCESSES];
    size_t count;               /* requests sent */
    size_t open;                /* without an answer so far */
    size_t done, refused, late; /* answered; refused; not answered in time */
    uint64_t given_up; /* time at which open requests count as late: a process may die before it answers */
    bool under_way;    /* requests were sent, and the result is not reported yet */
    char says[200];    /* one sentence for the user; empty: nothing was requested yet */
};

void asks_fini(struct asks *asks);

/* Sends the request to every process of the feed. asks->says describes what was done. */
void asks_collect(struct asks *asks, const struct feed *feed, uint64_t now);

/* Reads the answers. True: asks->says has changed. */
bool asks_look(struct asks *asks, uint64_t now);

#endif /* TARE_LIVE_ASKS_H */
