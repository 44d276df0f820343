/* round.h - from suspicion to certainty: what the doctor asks of a program while it runs.
 *
 * watch → suspect → focus → intervene → holders → settled, for each process. A visit looks at the
 * ledger, judges it as a report would, and puts at most a few questions into the mailbox: watch
 * these size classes; trim; find what holds the blocks of these sites. A healthy program is asked
 * nothing. The last round, offered by a program at its orderly end, is the same visit with a
 * deadline: whatever is still open is asked at once.
 */
#ifndef TARE_DOCTOR_ROUND_H
#define TARE_DOCTOR_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/layout.h"
#include "ledger/mailbox.h"

#define ROUND_SLOTS 7
#define ROUND_SITES 16 /* sites whose holders are asked for in one run */

enum round_state { ROUND_WATCH, ROUND_SUSPECT, ROUND_CONFIRM, ROUND_SETTLED };

struct round {
    enum round_state state;
    uint64_t next;    /* not before this time: visits may cost one part in a hundred */
    uint64_t steps;   /* seen at the last visit */
    uint64_t looks;   /* how often the ledger was judged */
    uint64_t focused; /* classes asked for so far */
    uint8_t calm[LEDGER_CLASSES]; /* visits in a row at which a focused class was not suspected */
    uint32_t asked[ROUND_SITES]; /* sites whose holders were asked for */
    unsigned asked_count;
    unsigned large_asks; /* questions about what makes the peak */
    uint64_t early_at; /* steps when holders were last asked for what only may leak */
    bool again; /* a search was refused or has failed: its sites may be asked for once more */
    bool postponed; /* in the last round: a search was still under way when the next was due */
    bool trimmed;
    bool last;      /* the last round has begun */
    bool collected; /* in the last round an interpreter was asked to collect, or there is none */
    unsigned collections;    /* collections requested before the last round */
    uint64_t collected_at;   /* number of steps at the latest of these collections */
    uint64_t collect_first; /* scripts only: when a collection was first wanted */
    uint64_t collect_after, collect_wait; /* time before which none is requested, and the wait; ns */
    unsigned windows;        /* windows for which it was requested to follow small objects */
    bool unwatched;          /* it was requested to stop following them */
    unsigned heap_visits;    /* visits at which a JavaScript heap seemed to grow */
    bool snapshot;           /* a heap snapshot was requested and not refused */
    uint64_t snapshot_after; /* no other request for one before this time; 0: none was made */
    unsigned refusals;       /* of snapshots */
    int slots[ROUND_SLOTS];  /* requests under way, -1: none */
    bool leaking;   /* at the last visit a leak was found */
    bool undecided; /* at the last visit something grew, and it was too early to say what it is */
    uint64_t calm_since;    /* first of the visits since when nothing was suspect; 0: something is */
    uint64_t settled_since; /* the same for: it leaks, all was asked and answered; 0: not so */
    double growth;          /* bytes per second of the host's memory, of the leaks found at the last visit */
    double device_growth;   /* the same of devices' memory */
    bool wrapped;           /* round_wrap_up has asked */
};

void round_init(struct round *round);

/* Looks, if a visit is due, and asks. `ledger`: path of the process's ledger. `observe`: only look. */
void round_visit(struct round *round, struct mailbox *mail, const char *ledger, bool observe);

/* In the last round: looks once more, asks what is open, and collects. True: the program may end. */
bool round_finish(struct round *round, struct mailbox *mail, const char *ledger, bool observe);

/* Before a program is ended by a signal, which leaves no time for a last round: asks what that would
 * ask, and collects. True: nothing is open. */
bool round_wrap_up(struct round *round, struct mailbox *mail, bool observe);

#endif /* TARE_DOCTOR_ROUND_H */
