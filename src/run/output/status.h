/* status.h - one line on the terminal about the running program; it is erased at the end. */
#ifndef TARE_RUN_STATUS_H
#define TARE_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/reader.h"

struct status {
    bool on;       /* standard error is a terminal and the user wants it */
    bool shown;      /* the line is on the terminal */
    uint64_t next;   /* time of the next update */
    char path[4200]; /* of the root's ledger, after it was found */
    void *map;       /* owned: that ledger, mapped; NULL: not mapped yet */
    uint64_t size;   /* of the map */
};

void status_init(struct status *status, bool wanted);
void status_fini(struct status *status); /* erases the line */
void status_clear(struct status *status);

/* Draws the line if it is due. `directory` NULL: there is no ledger to read. */
void status_show(struct status *status, const char *directory, int pid, uint32_t generation,
                 uint64_t resident, uint64_t elapsed_ns);

#endif /* TARE_RUN_STATUS_H */
