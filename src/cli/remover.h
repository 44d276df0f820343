/* remover.h - removes files of the run in a process of its own: on some disks that takes tens of
 * milliseconds for each, and meanwhile the processes of the run wait to be visited. */
#ifndef TARE_CLI_REMOVER_H
#define TARE_CLI_REMOVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct remover {
    pid_t pid; /* 0: not started */
    int pipe;
};

/* Removes the ledger, the mailbox and the script texts of PID.GENERATION in the open directory, soon.
 * False: it cannot be asked now. */
bool remover_ask(struct remover *remover, int directory, uint32_t pid, uint32_t generation);

/* Waits until everything that was asked for is done. */
void remover_end(struct remover *remover);

#endif /* TARE_CLI_REMOVER_H */
