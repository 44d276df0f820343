/* disk.h - a bound on what a run takes on the disk.
 *
 * Every process has a ledger, and a run may have thousands. From half of the budget on, the ledgers
 * of ended processes that have nothing to report are folded into records of the run's own ledger
 * and removed. If that is not enough, new processes make small ledgers, and finally none.
 * The last eighth is left to the existing ledgers.
 */
#ifndef TARE_RUN_DISK_H
#define TARE_RUN_DISK_H

#include "run/remover.h"
#include "run/watch.h"

#define DISK_BUDGET (1ull << 30)

struct disk_ledger {
    uint32_t pid, generation;
    uint64_t bytes, age; /* on the disk; age: when it was last written to, in nanoseconds */
    bool folded;         /* it is being removed */
};

struct disk {
    uint64_t budget, used; /* bytes; used: when last measured, without what is being removed */
    uint64_t next;
    struct disk_ledger *done; /* owned, by pid: ended and examined; folded, or to be kept */
    size_t done_count, done_room;
    struct remover remover;
    uint32_t program; /* string of the last one that was folded … */
    char program_text[256];
};

void disk_init(struct disk *disk, uint64_t budget); /* 0: DISK_BUDGET */
void disk_fini(struct disk *disk); /* waits until everything to be removed is gone */

/* Checks, if it is due, and folds some ledgers. */
void disk_pass(struct disk *disk, struct watch *watch);

/* The run has ended: records and returns how many processes were not watched. */
uint32_t disk_end(const struct disk *disk, struct watch *watch);

#endif /* TARE_RUN_DISK_H */
