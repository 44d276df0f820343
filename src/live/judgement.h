/* judgement.h - judge a run in a child process, now and then, at a price that is kept.
 *
 * The child loads the ledgers, judges them, and sends a digest. Whatever happens to it (a ledger
 * that is cut short under its map, no memory) happens to the child alone, and whoever watches is
 * told in a sentence. A judgement may cost one part in JUDGEMENT_SHARE of the processor time since
 * the last.
 */
#ifndef TARE_LIVE_JUDGEMENT_H
#define TARE_LIVE_JUDGEMENT_H

#include <sys/types.h>

#include "live/digest.h"

#define JUDGEMENT_SHARE 30
#define JUDGEMENT_EVERY 1000000000ull /* nanoseconds between two, at least */

struct judgement {
    pid_t child; /* 0: none is under way */
    int pipe;    /* to read from, while one is */
    struct text got;
    uint64_t next;    /* not before this time of CLOCK_MONOTONIC */
    uint64_t cost_ns; /* processor time of the last one, its helpers included */
};

void judgement_init(struct judgement *judgement);
void judgement_fini(struct judgement *judgement); /* ends the child, if there is one */

/* Begins one if none is under way and the next is due. False: it could not be begun, or was not
 * due. */
bool judgement_begin(struct judgement *judgement, const char *path, uint64_t now);

/* Takes what the child has sent. 1: *out is a new digest, the caller's; 0: nothing new; negative:
 * the child failed, `why` says how. Never waits. */
int judgement_take(struct judgement *judgement, struct digest *out, uint64_t now, struct why *why);

#endif /* TARE_LIVE_JUDGEMENT_H */
