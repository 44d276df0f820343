/* asks.h - ask the processes of a run to collect their garbage, through the mailbox, and say what
 * came of it.
 *
 * It is the very question that the doctor's rounds put (doctor/ask/round.h), under the same limits: a
 * process answers at a step of its own, refuses when its pauses are used up, and is never waited
 * for.
 */
#ifndef TARE_LIVE_ASKS_H
#define TARE_LIVE_ASKS_H

#include "live/feed.h"

#define ASKS_DEADLINE_NS 10000000000ull

struct mailbox; /* ledger/mailbox.h */

struct ask {
    struct mailbox *mail; /* owned, while the question is open; NULL: it is not */
    int slot;
};

struct asks {
    struct ask list[FEED_PROCESSES];
    size_t count, open, done, refused, late;
    uint64_t given_up; /* when the open ones are: a process may have died over its answer */
    bool under_way;
    char says[200]; /* one sentence for the user; empty: nothing was asked yet */
};

void asks_fini(struct asks *asks);

/* Puts the question to every process that is followed. asks->says tells what was done. */
void asks_collect(struct asks *asks, const struct feed *feed, uint64_t now);

/* Looks for answers. True: asks->says has changed. */
bool asks_look(struct asks *asks, uint64_t now);

#endif /* TARE_LIVE_ASKS_H */
