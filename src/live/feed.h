/* feed.h - follow a run through its directory: numbers several times a second, judgements less often.
 *
 * Current numbers (live bytes, steps, resident size, the processes) come from small reads of the ledgers.
 * They are not mapped, so a file that is cut short does no harm. Every number is checked before it is used.
 * Judgements come from live/judgement.h.
 */
#ifndef TARE_LIVE_FEED_H
#define TARE_LIVE_FEED_H

#include <limits.h>
#include <time.h>

#include "doctor/ask/peek.h"
#include "ledger/layout.h"
#include "live/judgement.h"

#define FEED_PROCESSES 256 /* that are followed; more are in the judgements alone */

struct feed_process {
    uint32_t pid, generation;
    int fd;                        /* of its ledger; -1: it has ended, and these are its last numbers */
    uint64_t totals_at;            /* offset of its totals in the file; 0: not known yet */
    uint64_t live;                 /* bytes */
    struct peek_devices devices;   /* its memory on devices */
    uint64_t ordinal;              /* number of the current step record */
    uint64_t clock[LEDGER_CLOCKS]; /* ticks of each clock */
};

enum feed_state {
    FEED_RUNNING,
    FEED_ENDED,    /* the run is over */
    FEED_UNWATCHED /* `tare run` died; its program may still run */
};

struct feed {
    char path[PATH_MAX];     /* the directory of the run, or one ledger */
    int directory;           /* descriptor; -1: not open */
    int own;                 /* descriptor of run.tare; -1: there is none */
    struct timespec listed;  /* time of the directory's last change when it was last listed */
    struct feed_process processes[FEED_PROCESSES];
    size_t process_count;
    uint64_t resident, live; /* bytes, at the last reading; 0: not known */
    uint64_t device;         /* bytes in use on devices; 0: not known, or none */
    uint64_t running;        /* number of processes, as `tare run` counts them; 0: not known */
    uint64_t moved;          /* rises with every change that is read */
    enum feed_state state;   /* at the last reading */
    uint32_t doctor;         /* pid of `tare run`; 0: not known */
    bool observe;            /* started with --observe: requests are forbidden */
    struct judgement judgement; /* makes the digests */
    uint64_t judged_at;         /* `moved` when the last judgement began */
    bool judged_end;            /* a judgement began after the end of the run */
    struct digest digest;       /* the latest */
    bool judged;                /* there is a digest */
    struct why trouble;         /* why the last judgement failed; empty: it did not fail */
};

/* `path`: the directory of a run, a ledger, or the parent directory of the two runs of `--try`, of which the
 * later one is followed. */
int feed_open(struct feed *feed, const char *path, struct why *why);
void feed_close(struct feed *feed);

/* Reads the current numbers. */
void feed_read(struct feed *feed);

/* Begins a judgement if it is due and something has changed. True: a judgement was finished and taken. */
bool feed_judge(struct feed *feed, uint64_t now);

/* Current ticks of the clock chosen for the run. */
uint64_t feed_ticks(const struct feed *feed);

#endif /* TARE_LIVE_FEED_H */
