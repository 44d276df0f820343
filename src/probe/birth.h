/* birth.h - making this process's ledger and mailbox, with what they say of it.
 *
 * A process may become another program, by exec, any number of times, and each has a ledger of its own.
 * That is bounded: the first 16 have it when they need it, the next 16 once they have run for a tenth
 * of a second, the next 16 after twice that time, and so on. Their number grows with the logarithm
 * of the time. What ended before its ledger was due is counted in the bell.
 */
#ifndef TARE_PROBE_BIRTH_H
#define TARE_PROBE_BIRTH_H

#include "ledger/mailbox.h"
#include "ledger/writer.h"

struct birth {
    const char *directory; /* absolute */
    struct bell *bell;
    const char *allocator;
    uint64_t rate;
    bool small; /* the disk has room for a small ledger alone */
};

/* Is it time to make them? False: this is one of many programs in this process, and has just begun. */
bool birth_is_due(const struct birth *from);
void birth_reset(void); /* this is a new process */

/* Makes PID.GENERATION.tare and .mail, with the first generation that is free, after birth_is_due. One
 * thread at a time. */
int birth_make(const struct birth *from, struct ledger *ledger, struct mailbox **mail,
               struct why *why);

#endif /* TARE_PROBE_BIRTH_H */
