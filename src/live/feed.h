/* feed.h - follow a run through its directory: numbers several times a second, judgements now and
 * then.
 *
 * What changes from moment to moment (live bytes, steps, resident size, which processes there are)
 * is read by small reads of the ledgers, never through a map: a file that is cut short ends no
 * read. Nothing read here is trusted beyond being a number. Judgements come from live/judgement.h.
 */
#ifndef TARE_LIVE_FEED_H
#define TARE_LIVE_FEED_H

#include <limits.h>
#include <time.h>

#include "ledger/layout.h"
#include "live/judgement.h"

#define FEED_PROCESSES 256 /* that are followed; more are in the judgements alone */

struct feed_process {
    uint32_t pid, generation;
    int fd;             /* of its ledger; -1: it has ended, and its last numbers are here */
    uint64_t totals_at; /* where in the file; 0: not known yet */
    uint64_t live, ordinal;
    uint64_t clock[LEDGER_CLOCKS];
};

enum feed_state {
    FEED_RUNNING,
    FEED_ENDED,    /* in order, or with the process that watched it */
    FEED_UNWATCHED /* `tare run` is gone, but not in order; its program may run on */
};

struct feed {
    char path[PATH_MAX];
    int directory;          /* -1: not open */
    int own;                /* descriptor of run.tare; -1: there is none */
    struct timespec listed; /* when the directory had last changed, as it was listed */
    struct feed_process processes[FEED_PROCESSES];
    size_t process_count;
    /* The last reading: */
    uint64_t resident, live; /* 0: not known */
    uint64_t running;        /* processes, as `tare run` counts them; 0: not known */
    uint64_t moved;          /* grows with everything that was ever read to have changed */
    enum feed_state state;
    uint32_t doctor; /* pid of `tare run`; 0: not known */
    bool observe;    /* it may not ask anything */
    /* Judgements: */
    struct judgement judgement;
    uint64_t judged_at; /* `moved` when the last one was begun */
    bool judged_end;    /* one was begun after the end */
    struct digest digest;
    bool judged;        /* there is a digest */
    struct why trouble; /* why the last one failed; empty: it did not */
};

/* `path`: the directory of a run, of the two runs of `--try` (the later one is meant), or a ledger.
 */
int feed_open(struct feed *feed, const char *path, struct why *why);
void feed_close(struct feed *feed);

/* Reads what may have changed. */
void feed_read(struct feed *feed);

/* Begins a judgement if it is due and something has changed, and takes one that is done: true. */
bool feed_judge(struct feed *feed, uint64_t now);

/* Ticks of the clock that was chosen for the run, now. */
uint64_t feed_ticks(const struct feed *feed);

#endif /* TARE_LIVE_FEED_H */
