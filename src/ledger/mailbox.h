/* mailbox.h - the doctor's requests to a program, and the answers; the run's bell.
 *
 * One page per process (PID.GENERATION.mail), made by the probe and mapped writable by both sides,
 * and one page per run (`bell`), made by `tare run`. The program never waits for the doctor, with
 * one exception: the last round, bounded by LAST_ROUND_NS. Every byte here may have been written by
 * a dead, dying or hostile peer, so either side checks what it reads and nothing here is a pointer.
 *
 * A request moves  FREE -> CLAIMED -> ASKED -> TAKEN -> DONE | REFUSED  and, by the asking side, back to FREE
 * (docs/internals/states.md has a drawing). The probe reads requests at step boundaries and on its cold
 * path. One that it sees after the deadline becomes EXPIRED and is not carried out. If the program dies, a
 * request stays as it is; if the doctor dies, its requests expire and no process waits.
 */
#ifndef TARE_LEDGER_MAILBOX_H
#define TARE_LEDGER_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define MAILBOX_MAGIC      "TAREMAIL"
#define BELL_MAGIC         "TAREBELL"
#define MAILBOX_VERSION    1
#define MAILBOX_SUFFIX     ".mail"
#define BELL_NAME          "bell"
#define MAILBOX_SIZE       4096
#define MAILBOX_SLOTS      16
#define LAST_ROUND_NS      2000000000ull
#define HEARTBEAT_STALE_NS 1000000000ull /* a doctor silent for longer counts as dead */

enum request_kind {
#define REQUEST(number, name, argument, answer, says) REQUEST_##name = number,
#include "ledger/requests.def"
#undef REQUEST
};

enum request_state {
    REQUEST_FREE = 0,
    REQUEST_ASKED = 1,
    REQUEST_TAKEN = 2,
    REQUEST_DONE = 3,
    REQUEST_REFUSED = 4,
    REQUEST_EXPIRED = 5,
    REQUEST_CLAIMED = 6 /* being written: `tare run` and `tare live` may ask at the same time */
};

struct request {
    uint32_t state;       /* atomic: released by the side that changes it, acquired by the other */
    uint32_t kind;        /* enum request_kind */
    uint64_t deadline;    /* CLOCK_MONOTONIC, in nanoseconds: later it is not carried out */
    uint64_t argument[4]; /* what requests.def says for this kind */
    uint64_t answer[4];   /* what requests.def says for this kind; 0 before the answer */
    uint64_t answered;    /* CLOCK_MONOTONIC of the answer; 0 before it */
};

enum last_round { ROUND_NONE = 0, ROUND_OFFERED = 1, ROUND_RELEASED = 2, ROUND_OVER = 3 };

struct mailbox {
    char magic[8];           /* MAILBOX_MAGIC; written last */
    uint32_t version;        /* MAILBOX_VERSION */
    uint32_t pid;            /* the process that made the page */
    uint32_t word;           /* atomic futex: the doctor adds 1 when there is something to read */
    uint32_t round;          /* atomic: enum last_round; the program offers, the doctor releases */
    uint64_t round_deadline; /* CLOCK_MONOTONIC at which the program ends the last round */
    struct request slots[MAILBOX_SLOTS]; /* the requests */
};

/* Bytes of address space that a program must have left: a ledger takes a quarter of it. */
#define LEDGER_SPACE_LEAST (256ul << 20)

/* A program that was started in this run and cannot carry the probe: one slot for each name and
 * reason. Written by the process that starts it, which may have no ledger. */
#define UNWATCHED_SLOTS 16
#define UNWATCHED_NAME  48
enum unwatched_state { UNWATCHED_FREE = 0, UNWATCHED_CLAIMED = 1, UNWATCHED_READY = 2 };

struct unwatched {
    uint32_t state;            /* atomic: enum unwatched_state */
    uint32_t reason;           /* enum carry */
    uint32_t starts;           /* atomic: how often it was started, less the starts that failed */
    uint32_t reserved;         /* 0 */
    char name[UNWATCHED_NAME]; /* the file's name without its folders, cut short; a 0 ends it */
};

struct bell {
    char magic[8];           /* BELL_MAGIC; written last */
    uint32_t version;        /* MAILBOX_VERSION */
    uint32_t doctor;         /* pid of `tare run` */
    uint32_t word;           /* atomic futex: probes add 1 at steps 8, 16, 32 … and with every answer */
    uint32_t observe;        /* 1: interventions are refused */
    uint64_t run;            /* number of the run, as in the headers of its ledgers */
    uint64_t heartbeat;      /* atomic: CLOCK_MONOTONIC of the doctor's last visit */
    uint64_t rate;           /* mean number of bytes between two samples at the start of a process */
    uint32_t small;          /* atomic: processes that ended before they needed a ledger */
    uint32_t refused;        /* atomic: processes whose ledger could not be made */
    uint64_t headroom;       /* atomic: bytes left below the nearest limit when last read; 0: not known */
    uint32_t filters;        /* system call filters that `tare run` itself has (confinement.h) */
    uint32_t confined;       /* atomic: processes that were not watched: they had more filters */
    uint32_t unrecorded;     /* atomic: programs of long chains of exec that ended before they had a ledger */
    uint32_t unwatched_more; /* atomic: starts of programs for which no slot was left */
    struct unwatched unwatched[UNWATCHED_SLOTS]; /* programs that were started without the probe */
    uint32_t ledgers;     /* atomic: enum bell_ledgers: what a process may make that has no ledger yet */
    uint32_t over_budget; /* atomic: processes that made no ledger because of the disk budget */
    uint64_t max_pause;   /* nanoseconds that a heap snapshot may take; 0: the default; UINT64_MAX: any */
    uint32_t no_snapshot; /* 1: no heap snapshot is taken */
    uint32_t spare;       /* 0 */
};

/* How large a new ledger may be, by what is left of the run's disk budget. */
enum bell_ledgers { LEDGERS_FULL = 0, LEDGERS_SMALL = 1, LEDGERS_NONE = 2 };

uint64_t mailbox_clock(void); /* CLOCK_MONOTONIC in nanoseconds */

/* Makes (exclusively) or opens a page in `directory` (an open directory) and maps it; NULL with a
 * reason. The file must belong to the user we run as: another user could cut it short, which ends
 * us. Usable inside the program: no heap, no stdio. */
struct mailbox *mailbox_create(int directory, const char *name, uint32_t pid, struct why *why);
struct mailbox *mailbox_open(int directory, const char *name, struct why *why);
void mailbox_close(struct mailbox *mail); /* accepts NULL */
struct bell *bell_create(int directory, const struct bell *first, struct why *why);
struct bell *bell_open(int directory, struct why *why);
void bell_close(struct bell *bell);

/* The sites (index + 1) of a request for holders: three to a word. */
#define MAILBOX_SITES 12
void mailbox_put_sites(uint64_t argument[4], const uint32_t *sites, size_t count);
uint32_t mailbox_site(const uint64_t argument[4], unsigned index); /* 0: none */

/* Do the fields of a slot fit its state? For checks of our own side (base/invariant.h) and for tests: what
 * the other side writes may be anything. */
bool mailbox_slot_is_valid(const struct request *slot);

/* The doctor's side. */
int mailbox_ask(struct mailbox *mail, enum request_kind kind, const uint64_t argument[4],
                uint64_t deadline); /* slot number, or ERR_ABSENT when all are taken */
enum request_state mailbox_collect(struct mailbox *mail, int slot, uint64_t answer[4]);
void mailbox_release_round(struct mailbox *mail); /* the program may end now */
bool mailbox_round_offered(const struct mailbox *mail);
void bell_wait(struct bell *bell, uint32_t seen, uint64_t timeout_ns);

/* The program's side. `mailbox_take` moves one request on to TAKEN and returns its slot, or -1. */
int mailbox_take(struct mailbox *mail, uint64_t now);
void mailbox_answer(struct mailbox *mail, struct bell *bell, int slot, enum request_state state,
                    const uint64_t answer[4]);
void bell_ring(struct bell *bell);
/* Counts the start of a program that cannot carry the probe, before the attempt; waits for no lock.
 * The caller subtracts 1 from the counter if the start fails. */
uint32_t *bell_count_unwatched(struct bell *bell, uint32_t reason, const char *path);
bool bell_doctor_alive(const struct bell *bell, uint64_t now);

/* Offers the last round and waits for its end, at most LAST_ROUND_NS; `serve` is called each time
 * the doctor may have asked for something. */
void mailbox_last_round(struct mailbox *mail, struct bell *bell, void (*serve)(void));

#endif /* TARE_LEDGER_MAILBOX_H */
