/* dose.h - apply a remedy under trial: send the same request repeatedly, within the pause limit. */
#ifndef TARE_RUN_DOSE_H
#define TARE_RUN_DOSE_H

#include <stdint.h>

#include "ledger/mailbox.h"

#define DOSE_EVERY_NS 2000000000ull /* between two requests; the probe's pause budget still holds */

#define DOSE_FIRST_NS 500000000ull  /* before the first: a program that starts has nothing to release */

struct dose {
    uint64_t next; /* time of the next request; 0: the process is new */
    int slot;      /* slot of the open request + 1; 0: none */
};

/* `kind`: enum request_kind; 0: no remedy is tried. */
void dose_give(struct dose *dose, struct mailbox *mail, unsigned kind);

#endif /* TARE_RUN_DOSE_H */
