/* witness.h - was this signal sent to tare alone, or to its whole process group?
 *
 * The kernel does not say. A group's signal (`kill %1`, `kill -- -PGID`) has reached the program
 * already and must not be passed on, or it would arrive twice, which many programs take for "now,
 * at once". So a small process stays beside us in the group, blocks everything and notes what it
 * receives: a signal that it received as well was for the group. It ends with tare, however tare
 * ends.
 */
#ifndef TARE_RUN_WITNESS_H
#define TARE_RUN_WITNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct witness {
    pid_t pid;      /* 0: there is none, and every signal counts as sent to tare alone */
    uint32_t *seen; /* shared with it: how often each signal came; owned */
    uint32_t told[65]; /* how many of those were accounted for */
};

void witness_start(struct witness *witness); /* before any handler or descriptor of ours matters */
void witness_stop(struct witness *witness);  /* accepts one that never started */

/* True if the witness received this signal too, since it was last asked. */
bool witness_saw(struct witness *witness, int number);

/* What it has received of this signal so far no longer counts. */
void witness_forget(struct witness *witness, int number);

#endif /* TARE_RUN_WITNESS_H */
