/* witness.h - was this signal sent to tare alone, or to its whole process group?
 *
 * The kernel does not say. The program has already received a signal to the group (`kill %1`,
 * `kill -- -PGID`). If tare passed it on, it would arrive twice, which many programs take as "end at once".
 * So a small process stays in the group, blocks all signals and records those it receives: a signal that it
 * received, too, was sent to the group. It ends with tare, however tare ends.
 */
#ifndef TARE_RUN_WITNESS_H
#define TARE_RUN_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness {
    pid_t pid;         /* 0: there is none, and every signal counts as sent to tare alone */
    uint32_t *seen;    /* owned; memory shared with it: how often it received each signal */
    uint32_t counted[65]; /* how many of those witness_saw has reported */
};

void witness_start(struct witness *witness); /* before handlers are installed and files opened */
void witness_stop(struct witness *witness);  /* accepts one that did not start */

/* Did the witness receive this signal since the last call? */
bool witness_saw(struct witness *witness, int number);

/* Ignores the signals of this number that it has received so far. */
void witness_forget(struct witness *witness, int number);

#endif /* TARE_RUN_WITNESS_H */
