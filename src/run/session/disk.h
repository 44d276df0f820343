/* disk.h - limit the disk space of a run.
 *
 * Every process has a ledger, and a run may have thousands. Once half of the budget is used, the ledgers of
 * ended processes without a finding are folded into records of the run's own ledger and removed. If that
 * is not enough, new processes make small ledgers, and later none. The last eighth of the budget is reserved
 * for the existing ledgers.
 */
#ifndef TARE_RUN_DISK_H
#define TARE_RUN_DISK_H

#include "run/rundir/remover.h"
#include "run/watch/watch.h"

#define DISK_BUDGET (1ull << 30)

struct disk_ledger {
    uint32_t pid, generation;
    uint64_t bytes; /* on the disk */
    uint64_t age;   /* time of the last write to it, in nanoseconds */
    bool folded;    /* it is being removed */
};

struct disk {
    uint64_t budget; /* bytes */
    uint64_t used;   /* bytes at the last measurement, without ledgers that are being removed */
    uint64_t next;   /* time of the next check */
    struct disk_ledger *done; /* owned, sorted by pid: ledgers of ended processes that were examined */
    size_t done_count, done_room;
    struct remover remover;
    uint32_t program;       /* string id of the program of the last folded ledger */
    char program_text[256]; /* that program */
};

void disk_init(struct disk *disk, uint64_t budget); /* 0: DISK_BUDGET */
void disk_fini(struct disk *disk); /* waits until all removals are done */

/* Checks, if it is due, and folds some ledgers. */
void disk_pass(struct disk *disk, struct watch *watch);

/* Call it at the end of the run: records and returns how many processes were not watched. */
uint32_t disk_end(const struct disk *disk, struct watch *watch);

#endif /* TARE_RUN_DISK_H */
