/* judgement.h - judge a run in a child process, from time to time, at a bounded cost.
 *
 * The child loads the ledgers, judges them, and sends a digest. If it fails (a mapped ledger is cut short,
 * no memory), only the child ends, and the view shows a sentence. A judgement may use one part in
 * JUDGEMENT_SHARE of the processor time since the last one.
 */
#ifndef TARE_LIVE_JUDGEMENT_H
#define TARE_LIVE_JUDGEMENT_H

#include <sys/types.h>

#include "live/digest.h"

#define JUDGEMENT_SHARE 30
#define JUDGEMENT_EVERY 1000000000ull /* nanoseconds between two, at least */

struct judgement {
    pid_t child;      /* 0: no judgement is under way */
    int pipe;         /* from the child, while there is one */
    struct text got;  /* the bytes that it has sent so far */
    uint64_t next;    /* the next judgement begins no earlier than this time of CLOCK_MONOTONIC */
    uint64_t cost_ns; /* processor time of the last judgement, with its helpers */
};

void judgement_init(struct judgement *judgement);
void judgement_fini(struct judgement *judgement); /* ends the child, if there is one */

/* Begins a judgement if none is under way and the next is due. False: it was not due, or could not begin. */
bool judgement_begin(struct judgement *judgement, const char *path, uint64_t now);

/* Reads what the child has sent, without waiting. 1: *out is a new digest, which the caller frees; 0: nothing
 * new; negative: the child failed, and `why` says how. */
int judgement_take(struct judgement *judgement, struct digest *out, uint64_t now, struct why *why);

#endif /* TARE_LIVE_JUDGEMENT_H */
