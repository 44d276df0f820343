/* birth.h - making this process's ledger and mailbox, with what they say of it. */
#ifndef TARE_PROBE_BIRTH_H
#define TARE_PROBE_BIRTH_H

#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct birth {
    const char *directory; /* absolute */
    const struct bell *bell;
    const char *allocator;
    uint64_t rate;
};

/* Makes PID.GENERATION.tare and .mail, with the first generation that is free. */
int birth_make(const struct birth *from, struct ledger *ledger, struct mailbox **mail,
               struct why *why);

#endif /* TARE_PROBE_BIRTH_H */
