/* remover.h - remove files of the run in a separate process: on some disks each takes tens of
 * milliseconds, in which the processes of the run would not be visited. */
#ifndef TARE_RUN_REMOVER_H
#define TARE_RUN_REMOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct remover {
    pid_t pid; /* 0: not started */
    int pipe;
};

/* Removes the ledger, the mailbox and the script texts of PID.GENERATION in the open directory,
 * soon. False: it cannot take a request now. */
bool remover_ask(struct remover *remover, int directory, uint32_t pid, uint32_t generation);

/* Waits until every request is done. */
void remover_end(struct remover *remover);

#endif /* TARE_RUN_REMOVER_H */
