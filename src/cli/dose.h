/* dose.h - give a remedy that is being tried: the same request again and again, politely. */
#ifndef TARE_CLI_DOSE_H
#define TARE_CLI_DOSE_H

#include <stdint.h>

#include "ledger/mailbox.h"

#define DOSE_EVERY_NS 2000000000ull /* between two requests; the probe's pause budget still holds */

#define DOSE_FIRST_NS 500000000ull  /* before the first: a program that begins has nothing to give */

struct dose {
    uint64_t next; /* not before this time; 0: the process has only just been met */
    int slot;      /* of the request under way + 1; 0: none */
};

/* `kind`: enum request_kind, 0: nothing is to be given. */
void dose_give(struct dose *dose, struct mailbox *mail, unsigned kind);

#endif /* TARE_CLI_DOSE_H */
